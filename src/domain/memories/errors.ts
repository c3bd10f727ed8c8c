// The expected failures of long-term memory.

import { AppError } from "../errors.ts";
import { LIMITS } from "../limits.ts";

/** The memory does not exist, or its time has run out. */
export function memoryNotFound(memoryId: string): AppError {
  return new AppError("MEMORY_NOT_FOUND", "The memory does not exist in this namespace.", {
    metadata: { memory_id: memoryId },
    resource: { type: "Memory", name: memoryId },
  });
}

/** The scope is full. */
export function memoryLimitReached(): AppError {
  const limit = LIMITS.scopeMemories;
  return new AppError(
    "MEMORY_LIMIT_REACHED",
    `The scope holds ${limit} memories of this tier, as many as it may: forget some first.`,
    { metadata: { limit: String(limit) } },
  );
}

/** The memory never had this state. */
export function memoryVersionNotFound(memoryId: string, version: number): AppError {
  const metadata = { memory_id: memoryId, version: String(version) };
  return new AppError("MEMORY_VERSION_NOT_FOUND", "The memory never had this state.", {
    metadata,
    resource: { type: "MemoryRevision", name: `${memoryId}@${version}` },
  });
}

/** The memory has had as many states as it may. */
export function memoryVersionLimitReached(memoryId: string): AppError {
  const limit = LIMITS.memoryRevisions;
  return new AppError(
    "MEMORY_VERSION_LIMIT_REACHED",
    `The memory has had ${limit} states, as many as it may: forget it and remember it anew.`,
    { metadata: { memory_id: memoryId, limit: String(limit) } },
  );
}
