// A scope has one active entity of each name.

import { requestInvalid } from "../../domain/errors.ts";
import type { MemoryLookup } from "../../domain/memories/lookup.ts";
import type { Memory } from "../../domain/memories/memory.ts";
import { nameKeyOf } from "../../domain/memories/text-key.ts";

/** The key of the name of an entity; undefined for other kinds. */
function keyOf({ kind, content }: Memory): string | undefined {
  if (kind !== "entity") return undefined;
  const { structure, text } = content;
  return nameKeyOf(structure?.kind === "entity" ? structure.entity.name : text);
}

/** Refuses a change after which two entities of the scope would have one name. */
export function checkOnlyName(
  lookup: Pick<MemoryLookup, "byName">,
  memory: Memory,
  field: string,
): void {
  const key = keyOf(memory);
  if (key === undefined || memory.state !== "active") return;
  const other = lookup.byName(memory.scope, key);
  if (other === undefined || other.memoryId === memory.memoryId || keyOf(other) !== key) return;
  const description = "is the name of another entity of the scope: merge the two";
  throw requestInvalid([{ field, description }]);
}
