// The calls on long-term memories of the LMDB engine.

import type { MemoryStore } from "../store.ts";
import { changeMemories } from "./changing.ts";
import type { Core } from "./core.ts";
import { dueJobs, listJobs, nextJobMs, readJob, readJobsRow } from "./memory-jobs.ts";
import * as lists from "./memory-lists.ts";

/** What the engine does with memories. */
export abstract class MemoryCalls implements MemoryStore {
  protected abstract readonly core: Core;

  /** Runs a read of what is durable. */
  protected abstract read<T>(read: () => T): Promise<T>;

  /** A promise to wait for before a change, or undefined when there is room at once. */
  protected abstract admit(allowWhenFull: boolean | undefined): Promise<void> | undefined;

  readonly changeMemories: MemoryStore["changeMemories"] = async (change, decide) => {
    await this.admit(change.allowWhenFull);
    return changeMemories(this.core, change, decide);
  };

  readonly readMemory: MemoryStore["readMemory"] = (...asked) =>
    this.read(() => lists.readMemory(this.core, ...asked));

  readonly readMemoryAt: MemoryStore["readMemoryAt"] = (...asked) =>
    this.read(() => lists.readMemoryAt(this.core, ...asked));

  readonly readMemories: MemoryStore["readMemories"] = (...asked) =>
    this.read(() => lists.readMemories(this.core, ...asked));

  readonly listMemories: MemoryStore["listMemories"] = (query) =>
    this.read(() => lists.listMemories(this.core, query));

  readonly readEntities: MemoryStore["readEntities"] = (...asked) =>
    this.read(() => lists.readEntities(this.core, ...asked));

  readonly rankedMemories: MemoryStore["rankedMemories"] = (query) =>
    this.read(() => lists.rankedMemories(this.core, query));

  readonly queryRelations: MemoryStore["queryRelations"] = (query) =>
    this.read(() => lists.queryRelations(this.core, query));

  readonly listMemoryVersions: MemoryStore["listMemoryVersions"] = (...asked) =>
    this.read(() => lists.listMemoryVersions(this.core, ...asked));

  readonly listMemoryScopes: MemoryStore["listMemoryScopes"] = (...asked) =>
    this.read(() => lists.listMemoryScopes(this.core, ...asked));

  readonly readMemoryScope: MemoryStore["readMemoryScope"] = (...asked) =>
    this.read(() => lists.readMemoryScope(this.core, ...asked));

  readonly listMemoryNamespaces: MemoryStore["listMemoryNamespaces"] = (...asked) =>
    this.read(() => lists.listMemoryNamespaces(this.core, ...asked));

  readonly expiredMemories: MemoryStore["expiredMemories"] = (...asked) =>
    this.read(() => lists.expiredMemories(this.core, ...asked));

  readonly dueMemoryJobs: MemoryStore["dueMemoryJobs"] = (...asked) =>
    this.read(() => dueJobs(this.core, ...asked));

  readonly nextMemoryJobMs: MemoryStore["nextMemoryJobMs"] = (nowMs) =>
    this.read(() => nextJobMs(this.core, nowMs));

  readonly listMemoryJobs: MemoryStore["listMemoryJobs"] = (...asked) =>
    this.read(() => listJobs(this.core, ...asked));

  readonly readMemoryJob: MemoryStore["readMemoryJob"] = (...asked) =>
    this.read(() => readJob(this.core, ...asked));

  readonly readMemoryJobs: MemoryStore["readMemoryJobs"] = (ref) =>
    this.read(() => readJobsRow(this.core, ref, "committed")?.jobs ?? []);
}
