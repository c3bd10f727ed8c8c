// The id of a scope of memories: short enough for a key, whatever the names in the scope.

import { hash } from "node:crypto";

import type { MemoryScope } from "../memory/rules/memory.ts";

const ID_DIGITS = 32;

/** So many ids are kept of scopes that were asked for last. */
const KNOWN_MAX = 1_024;

// One change asks for the id of the same scope again and again, and so do those after it.
const known = new Map<string, string>();

/** The id of a scope: 32 hexadecimal digits, the same in every namespace. */
export function scopeIdOf(scope: MemoryScope): string {
  const { userId, agentId, sessionId } = scope;
  // The lengths tell the parts apart.
  const name = `${userId.length} ${agentId.length} ${userId}${agentId}${sessionId}`;
  let id = known.get(name);
  if (id === undefined) {
    id = hash("sha256", partsOf(scope), "hex").slice(0, ID_DIGITS);
    if (known.size >= KNOWN_MAX) known.clear();
    known.set(name, id);
  }
  return id;
}

/** Every part behind its length, so that no two scopes have the same bytes. */
function partsOf({ userId, agentId, sessionId }: MemoryScope): Buffer {
  return Buffer.concat(
    [userId, agentId, sessionId].flatMap((part) => {
      const bytes = Buffer.from(part, "utf8");
      const length = Buffer.alloc(4);
      length.writeUInt32BE(bytes.length);
      return [length, bytes];
    }),
  );
}
