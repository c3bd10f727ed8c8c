// The index in the calling thread: for tests, and for programs that do nothing else meanwhile.

import { LexicalScratch } from "../domain/recall/lexical/scratch.ts";
import { VectorArena } from "../domain/recall/vector/arena.ts";
import type { NearWord } from "../embed/static-table.ts";
import { RecallEngine } from "./engine.ts";
import { IndexStopped } from "./index-stopped.ts";
import type { IndexCodec, IndexModel, RecallIndex } from "./port.ts";

/** What an index is made of. */
export interface IndexSettings {
  readonly codec: IndexCodec;
  /** Default: no vectors. */
  readonly model?: IndexModel;
  /** Makes the vector of a text. Needed when the model is local. */
  readonly embedText?: (text: string) => Float32Array;
  /** Gives the words near a word. Default: near words are not looked for. */
  readonly nearWords?: (word: string) => readonly NearWord[];
}

/** The model of an index without vectors. */
export const NO_MODEL: IndexModel = { id: "", dimensions: 0, isLocal: false };

/** Makes the engine of an index. */
export function createEngine(settings: IndexSettings): RecallEngine {
  const { codec, model = NO_MODEL, embedText, nearWords } = settings;
  return new RecallEngine({
    ...{ codec, model, embedText, nearWords },
    arena: new VectorArena(),
    scratch: new LexicalScratch(),
  });
}

/** Makes an index that works in this thread. */
export function createLocalIndex(settings: IndexSettings): RecallIndex {
  const { model = NO_MODEL } = settings;
  let engine: RecallEngine | undefined = createEngine(settings);
  const run = async <T>(work: (engine: RecallEngine) => T): Promise<T> => {
    if (engine === undefined) throw new IndexStopped();
    const result = work(engine);
    while (engine.step());
    return result;
  };
  return {
    model,
    apply: (namespace, changes) => run((index) => index.apply(namespace, changes)),
    search: (namespace, query) => run((index) => index.search(namespace, query)),
    searchCosine: (namespace, query) => run((index) => index.searchCosine(namespace, query)),
    searchTfIdf: (namespace, query) => run((index) => index.searchTfIdf(namespace, query)),
    positions: (namespace, container) => run((index) => index.positions(namespace, container)),
    passages: (kind, bytes) => run((index) => index.passages(kind, bytes)),
    embed: (texts) => run((index) => index.embed(texts)),
    drop: (namespace) => run((index) => index.drop(namespace)),
    onRestart: () => () => {},
    close: async () => {
      engine = undefined;
    },
  };
}
