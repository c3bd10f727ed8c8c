// selectools: what its long-term memories hold, as memories.

import { MemoryKind } from "../../clients/typescript/src/gen/memorysidecar/v1/memory.ts";
import { type Json, needText, numberOf, objectOf, textOf } from "./json.ts";
import { type MemoryFields, timeOf } from "./memories.ts";

function seenAt(value: Json | undefined): MemoryFields {
  const lastSeenTime = timeOf(value);
  return lastSeenTime === undefined ? {} : { lastSeenTime };
}

/** An entry of the knowledge memory, last written at a time if one is given. */
export function entryOf(value: Json, time: Json | undefined): MemoryFields {
  const entry = objectOf(value, "an entry");
  const importance = numberOf(entry["importance"], "importance");
  return {
    text: needText(entry["content"], "content"),
    category: textOf(entry["category"], "category") ?? "",
    persistent: entry["persistent"] === true,
    ...(importance === undefined ? {} : { importance }),
    ...seenAt(time),
  };
}

/** An entity, last mentioned at a time if one is given. */
export function entityOf(value: Json, time: Json | undefined): MemoryFields {
  const entity = objectOf(value, "an entity");
  const name = needText(entity["name"], "name");
  const type = textOf(entity["entity_type"], "entity_type") ?? "";
  const attributes = objectOf(entity["attributes"], "attributes") as Record<string, string>;
  return {
    kind: MemoryKind.ENTITY,
    structure: { $case: "entity", value: { name, type, attributes } },
    ...seenAt(time),
  };
}
