// Reads memories as the index of recall sees them.

import type { FilteredMemory } from "../../domain/recall/memory-test.ts";
import * as wire from "../../gen/memorysidecar/v1/memory.ts";
import type { IndexedMemory, IndexedRecord } from "../../recall/port.ts";
import { flattenMetadata } from "./flat-metadata.ts";
import { fromMemoryKind } from "./memory-enums.ts";
import { fromTimestamp } from "./time.ts";

/** What recall takes for said where nothing was. */
const IMPORTANCE_UNSAID = 0.5;

function optionalMs(time: wire.Memory["validFromTime"]): number | undefined {
  return time === undefined ? undefined : fromTimestamp(time);
}

/** The names in a memory: those of an entity, or both ends of a relation. */
function namesOf({ structure }: wire.Memory): string[] {
  if (structure?.$case === "entity") return [structure.value.name, ...structure.value.aliases];
  if (structure?.$case !== "relation") return [];
  return [structure.value.subject, structure.value.objectValue];
}

/** What it says besides its text, which may be all of it already. */
function alsoWordsOf(memory: wire.Memory): string {
  const { text, topics, structure } = memory;
  const words = [...topics, ...namesOf(memory)];
  if (structure?.$case === "relation") words.push(structure.value.predicate);
  if (structure?.$case === "entity") words.push(...structure.value.attributes.values());
  const known = text.toLowerCase();
  const lacking = words.filter((word) => !known.includes(word.toLowerCase()));
  return [...new Set(lacking)].join("\n");
}

function filteredOf(memory: wire.Memory): FilteredMemory {
  return {
    kind: fromMemoryKind(memory.kind),
    category: memory.category.toLowerCase(),
    confidence: memory.confidence ?? 1,
    isSuperseded: memory.state === wire.MemoryState.SUPERSEDED,
    validFromMs: optionalMs(memory.validFromTime),
    validToMs: optionalMs(memory.validUntilTime),
    expireMs: optionalMs(memory.expireTime),
  };
}

/**
 * Reads the wire form of a memory. It has no author. Its time is when it became true, or happened;
 * where nobody said, when it was last said.
 */
export function readIndexedMemory(bytes: Uint8Array): IndexedRecord {
  const memory = wire.Memory.decode(bytes);
  const { source, importance } = memory;
  const own: IndexedMemory = {
    ...filteredOf(memory),
    source: { sessionId: source?.sessionId ?? "", messageIds: source?.messageIds ?? [] },
    names: namesOf(memory),
    topics: memory.topics,
  };
  return {
    text: memory.text,
    author: "",
    role: 0,
    trust: memory.trust === 2 || memory.trust === 3 ? memory.trust : 1,
    timeMs: own.validFromMs ?? optionalMs(memory.lastSeenTime) ?? 0,
    labels: memory.labels,
    metadata: flattenMetadata(memory.metadata),
    importance: importance === IMPORTANCE_UNSAID ? undefined : importance,
    documentId: "",
    sourceDocumentId: "",
    alsoWords: alsoWordsOf(memory),
    memory: own,
  };
}
