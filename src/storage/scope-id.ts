// The id of a scope of memories: short enough for a key, whatever the names in the scope.

import { hash } from "node:crypto";

import type { MemoryScope } from "../domain/memories/memory.ts";

const ID_DIGITS = 32;

// One change asks for the id of the same scope again and again.
const known = new WeakMap<MemoryScope, string>();

/** The id of a scope: 32 hexadecimal digits, the same in every namespace. */
export function scopeIdOf(scope: MemoryScope): string {
  let id = known.get(scope);
  if (id === undefined) {
    id = hash("sha256", partsOf(scope), "hex").slice(0, ID_DIGITS);
    known.set(scope, id);
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
