// The calls on long-term memories of the LMDB engine.

import type { MemoryStore } from "../store.ts";

function missing(): never {
  throw new Error("The engine keeps no memories yet.");
}

/** What the engine does with memories. */
export abstract class MemoryCalls implements MemoryStore {
  readonly changeMemories: MemoryStore["changeMemories"] = async () => missing();
  readonly readMemory: MemoryStore["readMemory"] = async () => missing();
  readonly readMemories: MemoryStore["readMemories"] = async () => missing();
  readonly listMemories: MemoryStore["listMemories"] = async () => missing();
  readonly readEntities: MemoryStore["readEntities"] = async () => missing();
  readonly rankedMemories: MemoryStore["rankedMemories"] = async () => missing();
  readonly queryRelations: MemoryStore["queryRelations"] = async () => missing();
  readonly listMemoryRevisions: MemoryStore["listMemoryRevisions"] = async () => missing();
  readonly listMemoryScopes: MemoryStore["listMemoryScopes"] = async () => missing();
  readonly readMemoryScope: MemoryStore["readMemoryScope"] = async () => missing();
  readonly listMemoryNamespaces: MemoryStore["listMemoryNamespaces"] = async () => missing();
  readonly expiredMemories: MemoryStore["expiredMemories"] = async () => missing();
  readonly dueMemoryJobs: MemoryStore["dueMemoryJobs"] = async () => missing();
  readonly nextMemoryJobMs: MemoryStore["nextMemoryJobMs"] = async () => missing();
  readonly listMemoryJobs: MemoryStore["listMemoryJobs"] = async () => missing();
  readonly readMemoryJobs: MemoryStore["readMemoryJobs"] = async () => missing();
}
