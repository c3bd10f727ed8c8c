// What the use cases of recall and documents work with.

import type { IndexCodec } from "../../recall/port.ts";
import type { ServiceContext } from "../context.ts";
import type { MemoryCodec } from "../memories/parts.ts";
import type { DocumentForms } from "../recall-api.ts";
import type { Embedder } from "./embedder.ts";
import type { IndexKeeper } from "./keeper.ts";
import type { Rerankers } from "./rerankers.ts";

/** Reads records for the index, writes documents and memories. Implemented by the transport. */
export type RecallCodec = IndexCodec & DocumentForms & MemoryCodec;

/** Made once by createRecall. */
export interface RecallParts {
  readonly context: ServiceContext;
  readonly codec: RecallCodec;
  readonly keeper: IndexKeeper;
  readonly embedder: Embedder;
  readonly rerankers: Rerankers;
}
