// Assembles recall: the index, its keeper and the use cases.

import type { ServiceContext } from "./core/context.ts";
import { bind, inTurn, RECALL, type Services } from "./edge/services-api.ts";
import type { EraseParts } from "./erase/work.ts";
import type { HookStates } from "./hooks/hook-state.ts";
import { searchSemaphore } from "./kit/semaphore.ts";
import { Embedder } from "./recall/feed/embedder.ts";
import { IndexKeeper } from "./recall/feed/keeper.ts";
import type { RecallIndex } from "./recall/index/port.ts";
import type { RecallCodec, RecallParts } from "./recall/parts.ts";
import type { IndexFiles } from "./recall/saved/index-files.ts";
import { VectorMaker } from "./recall/vector-maker.ts";
import { countTokens } from "./session/count-tokens.ts";

/** Searches at one time, waiting for a load among them. */
const RUNNING_MAX = 64;
/** Searches that wait for their turn. */
const WAITING_MAX = 256;

/** Dependencies of recall. */
export interface RecallSettings {
  /** Closed by its owner, after the services have stopped. */
  readonly index: RecallIndex;
  readonly codec: RecallCodec;
  /** The memory of the index in bytes. Default: 268,435,456. */
  readonly memoryBytes?: number;
  /** Files that keep indexes for the next start. Default: none are kept. */
  readonly saved?: {
    readonly files: IndexFiles;
    /** Names the code that makes indexes: those of other code are made anew. */
    readonly code: string;
  };
}

/** Recall, and how to stop it. */
export interface RunningRecall {
  readonly api: Services["recall"];
  /** For use cases of other features that search by themselves. */
  readonly parts: RecallParts;
  /** For erasures. */
  readonly erasing: Omit<EraseParts, "context">;
  /** Ends searches and background work. */
  stop(): Promise<void>;
}

const MEMORY_BYTES = 268_435_456;

/** Makes the use cases of recall and starts the background work. */
export function createRecall(
  context: ServiceContext,
  settings: RecallSettings & { readonly states: HookStates },
  onError: (error: unknown) => void,
): RunningRecall {
  const { index, codec, states, memoryBytes = MEMORY_BYTES } = settings;
  const keeper = new IndexKeeper({
    ...{ context, index, memoryBytes, onError },
    saved: settings.saved,
    encodeMemory: (memory) => codec.encodeMemory(memory),
  });
  const embedder = new Embedder(context, index, states);
  const parts: RecallParts = { context, codec, keeper, embedder, states };
  const vectors = new VectorMaker(parts, onError);
  keeper.preload().catch(onError);
  return {
    parts,
    erasing: { codec, eraseSavedIndex: (namespace) => keeper.eraseSaved(namespace) },
    api: {
      ...bind(parts, RECALL.atOnce),
      ...inTurn(searchSemaphore(RUNNING_MAX, WAITING_MAX), parts, RECALL.inTurn),
      countTokens: (call, input) => countTokens(context, call, input),
    },
    stop: async () => {
      await vectors.stop();
      await keeper.stop();
    },
  };
}
