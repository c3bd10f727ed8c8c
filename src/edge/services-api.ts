// Every use case of the server, as its edge calls them.

import type { BackUpInput, MadeBackUp } from "../admin/back-ups.ts";
import type { ErasureServiceApi } from "../erase/api.ts";
import type { EventServiceApi } from "../events/api.ts";
import type { Call } from "../kit/call.ts";
import type { MemoryServiceApi } from "../memory/api.ts";
import type { RecallServiceApi } from "../recall/api.ts";
import type { RecordServiceApi } from "../records/api.ts";
import type { SessionServiceApi } from "../session/api.ts";
import type { SnapshotServiceApi } from "../session/snapshot/api.ts";
import type { CompactProgress, ServedCompaction } from "../store/backup/compact.ts";
import type { ListedNamespace } from "../store/store.ts";
import type { HookServiceApi, SummaryServiceApi } from "../tasks/api.ts";

/** Facts of the store for AdminService. */
export interface AdminServiceApi {
  storeInfo(): {
    storeId: string;
    storeFormat: number;
  };
  /** The namespaces by name, after the one given. */
  listNamespaces(call: Call, after: string, limit: number): Promise<readonly ListedNamespace[]>;
  /**
   * Backs up the store. Throws BACK_UP_NOT_CONFIGURED, BACK_UP_RUNNING, COMPACTION_RUNNING,
   * BACK_UP_FAILED and RECORD_CORRUPT.
   */
  backUp(call: Call, input: BackUpInput): Promise<MadeBackUp>;
  /**
   * Compacts the store. Throws COMPACTION_RUNNING, BACK_UP_RUNNING, COMPACTION_FAILED and
   * RECORD_CORRUPT.
   */
  compactStore(
    call: Call,
    onProgress: (progress: CompactProgress) => void,
  ): Promise<ServedCompaction>;
}

/** Every use case, and how to stop. */
export interface Services {
  readonly sessions: SessionServiceApi;
  readonly snapshots: SnapshotServiceApi;
  readonly summaries: SummaryServiceApi;
  readonly hooks: HookServiceApi;
  readonly recall: RecallServiceApi;
  readonly memories: MemoryServiceApi;
  readonly records: RecordServiceApi;
  readonly erasures: ErasureServiceApi;
  readonly events: EventServiceApi;
  readonly admin: AdminServiceApi;
  /** Ends every watcher with SHUTTING_DOWN; no new one can be opened. */
  endWatches(): void;
  /** Stops the background work. The store is closed by its owner. */
  stop(): Promise<void>;
}
