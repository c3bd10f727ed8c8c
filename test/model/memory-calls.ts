// The calls on long-term memories of the memory engine.

import type {
  MemoryChange,
  MemoryDecision,
  MemoryStore,
  MemoryView,
} from "../../src/store/store.ts";
import { changeMemories } from "./memories.ts";
import { dueJobs, jobsOf, listJobs, nextJobMs, readJob } from "./memory-jobs.ts";
import * as lists from "./memory-lists.ts";
import type { MemoryParts, MemoryState } from "./state.ts";

/** The calls on memories of the engine. */
export abstract class MemoryCalls implements MemoryStore {
  protected abstract readonly state: MemoryState;

  /** Does a step in its turn. */
  protected abstract run<T>(step: () => T): Promise<T>;

  /** Gives the events of a change the next revision of their namespace, and tells of it. */
  protected abstract publish(...change: Parameters<MemoryParts["publish"]>): void;

  changeMemories<T>(
    change: MemoryChange,
    decide: (view: MemoryView) => MemoryDecision<T>,
  ): Promise<T> {
    return this.run(() => {
      const { events, memories, result } = changeMemories(this.state, change, decide);
      if (events.length > 0) this.publish(change.namespace, events, { memories });
      return result;
    });
  }

  readonly readMemory: MemoryStore["readMemory"] = (...asked) =>
    this.run(() => lists.readMemory(this.state, ...asked));

  readonly readMemoryAt: MemoryStore["readMemoryAt"] = (...asked) =>
    this.run(() => lists.readMemoryAt(this.state, ...asked));

  readonly readMemories: MemoryStore["readMemories"] = (...asked) =>
    this.run(() => lists.readMemories(this.state, ...asked));

  readonly listMemories: MemoryStore["listMemories"] = (query) =>
    this.run(() => lists.listMemories(this.state, query));

  readonly readEntities: MemoryStore["readEntities"] = (...asked) =>
    this.run(() => lists.readEntities(this.state, ...asked));

  readonly rankedMemories: MemoryStore["rankedMemories"] = (query) =>
    this.run(() => lists.rankedMemories(this.state, query));

  readonly queryRelations: MemoryStore["queryRelations"] = (query) =>
    this.run(() => lists.queryRelations(this.state, query));

  readonly listMemoryVersions: MemoryStore["listMemoryVersions"] = (...asked) =>
    this.run(() => lists.listMemoryVersions(this.state, ...asked));

  readonly listMemoryScopes: MemoryStore["listMemoryScopes"] = (...asked) =>
    this.run(() => lists.listMemoryScopes(this.state, ...asked));

  readonly readMemoryScope: MemoryStore["readMemoryScope"] = (...asked) =>
    this.run(() => lists.readMemoryScope(this.state, ...asked));

  readonly listMemoryNamespaces: MemoryStore["listMemoryNamespaces"] = (...asked) =>
    this.run(() => lists.listMemoryNamespaces(this.state, ...asked));

  readonly expiredMemories: MemoryStore["expiredMemories"] = (...asked) =>
    this.run(() => lists.expiredMemories(this.state, ...asked));

  readonly dueMemoryJobs: MemoryStore["dueMemoryJobs"] = (...asked) =>
    this.run(() => dueJobs(this.state, ...asked));

  readonly nextMemoryJobMs: MemoryStore["nextMemoryJobMs"] = (nowMs) =>
    this.run(() => nextJobMs(this.state, nowMs));

  readonly listMemoryJobs: MemoryStore["listMemoryJobs"] = (...asked) =>
    this.run(() => listJobs(this.state, ...asked));

  readonly readMemoryJob: MemoryStore["readMemoryJob"] = (...asked) =>
    this.run(() => readJob(this.state, ...asked));

  readonly readMemoryJobs: MemoryStore["readMemoryJobs"] = (ref) =>
    this.run(() => jobsOf(this.state, ref));
}
