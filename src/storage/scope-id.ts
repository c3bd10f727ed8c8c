// The id of a scope of memories: short enough for a key, whatever the names in the scope.

import { createHash } from "node:crypto";

import type { MemoryScope } from "../domain/memories/memory.ts";

const ID_DIGITS = 32;

/** The id of a scope: 32 hexadecimal digits, the same in every namespace. */
export function scopeIdOf({ userId, agentId, sessionId }: MemoryScope): string {
  const hash = createHash("sha256");
  for (const part of [userId, agentId, sessionId]) {
    const bytes = Buffer.from(part, "utf8");
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    hash.update(length).update(bytes);
  }
  return hash.digest("hex").slice(0, ID_DIGITS);
}
