// Dependencies of the use cases of recall and documents.

import type { ServiceContext } from "../core/context.ts";
import type { HookStates } from "../hooks/hook-state.ts";
import type { DocumentForms, MemoryCodec } from "./api.ts";
import type { Embedder } from "./feed/embedder.ts";
import type { IndexKeeper } from "./feed/keeper.ts";
import type { IndexCodec } from "./index/port.ts";

/** Reads records for the index, writes documents and memories. Implemented by the transport. */
export type RecallCodec = IndexCodec & DocumentForms & MemoryCodec;

/** Made once by createRecall. */
export interface RecallParts {
  readonly context: ServiceContext;
  readonly codec: RecallCodec;
  readonly keeper: IndexKeeper;
  readonly embedder: Embedder;
  readonly states: HookStates;
}
