// A scope has one active entity of each name and trust.

import { requestInvalid } from "../../domain/errors.ts";
import type { MemoryLookup } from "../../domain/memories/lookup.ts";
import type { Memory } from "../../domain/memories/memory.ts";
import { textKeyOf } from "../../domain/memories/text-key.ts";

/** Refuses a change after which two entities of the scope would have one name and trust. */
export function checkOnlyName(
  lookup: Pick<MemoryLookup, "byText">,
  memory: Memory,
  field: string,
): void {
  const { memoryId, kind, scope, state, trust } = memory;
  if (kind !== "entity" || state !== "active") return;
  const named = lookup.byText(scope, kind, textKeyOf(memory));
  if (named.every((one) => one.memoryId === memoryId || one.trust !== trust)) return;
  const description = "is the name of another entity of the scope: merge the two";
  throw requestInvalid([{ field, description }]);
}
