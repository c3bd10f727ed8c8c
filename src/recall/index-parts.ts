// What an index is made of besides its own memory: given by whoever starts it.

import type { LexicalScratch } from "../domain/recall/lexical/scratch.ts";
import type { VectorArena } from "../domain/recall/vector/arena.ts";
import type { NearWord } from "../embed/static-table.ts";
import type { IndexCodec, IndexModel } from "./port.ts";

/** What all shards of one index share. */
export interface IndexParts {
  readonly codec: IndexCodec;
  readonly model: IndexModel;
  /** Makes the vector of a text. Only when the model is local. */
  readonly embedText: ((text: string) => Float32Array) | undefined;
  /** Gives the words near a word; without it none are looked for. */
  readonly nearWords?: ((word: string) => readonly NearWord[]) | undefined;
  readonly arena: VectorArena;
  readonly scratch: LexicalScratch;
}
