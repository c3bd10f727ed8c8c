// About how many bytes a memory takes in an answer.

import type { Memory, MemoryStructure } from "../../domain/memories/memory.ts";

/** What a field takes beside its value. */
const FIELD_BYTES = 4;
/** Numbers, times, the etag, the enums. */
const PLAIN_BYTES = 256;

function textBytes(texts: Iterable<string>): number {
  let bytes = 0;
  for (const text of texts) bytes += Buffer.byteLength(text) + FIELD_BYTES;
  return bytes;
}

function pairBytes(pairs: ReadonlyMap<string, string>): number {
  return textBytes(pairs.keys()) + textBytes(pairs.values()) + pairs.size * FIELD_BYTES;
}

function structureBytes(structure: MemoryStructure): number {
  switch (structure.kind) {
    case "entity": {
      const { name, type, aliases, attributes } = structure.entity;
      return textBytes([name, type, ...aliases]) + pairBytes(attributes);
    }
    case "relation": {
      const { subject, predicate, object } = structure.relation;
      return textBytes([subject, predicate, object]);
    }
    case "episode": {
      const { userText, assistantText } = structure.episode;
      return textBytes([userText, assistantText]);
    }
  }
}

/** The bytes of a memory in an answer; never below what they are. */
export function memoryBytes(memory: Memory): number {
  const { memoryId, scope, content, source, supersededBy, contradictsIds, writer } = memory;
  const { text, structure, key, category, topics, labels, metadata } = content;
  const { userId, agentId, sessionId } = scope;
  const ids = [memoryId, userId, agentId, sessionId, supersededBy];
  return (
    PLAIN_BYTES +
    textBytes([...ids, text, key, category, ...topics, writer, memory.reason]) +
    textBytes(contradictsIds) +
    textBytes([source.sessionId, ...source.messageIds, source.hook, source.model]) +
    pairBytes(labels) +
    metadata.length +
    (structure === undefined ? 0 : structureBytes(structure))
  );
}
