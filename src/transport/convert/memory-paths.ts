// Which paths of a memory an update changes.

import type * as wire from "../../gen/memorysidecar/v1/memory.ts";
import { Trust } from "../../gen/memorysidecar/v1/message.ts";
import type { MemoryPath } from "../../service/memory-api.ts";
import { changedPaths, MEMORY_MASK } from "../validate/mask.ts";

const STRUCTURES: ReadonlySet<string> = new Set(["entity", "relation", "episode"]);

/**
 * Gives the paths that an update changes: those of the mask, or all that are set; `*` names of the
 * structures only the one that is set.
 */
export function memoryPaths(
  memory: wire.Memory,
  mask: readonly string[] | undefined,
): readonly MemoryPath[] {
  const { structure } = memory;
  const paths = changedPaths(mask, MEMORY_MASK, {
    text: memory.text !== "",
    entity: structure?.$case === "entity",
    relation: structure?.$case === "relation",
    episode: structure?.$case === "episode",
    key: memory.key !== "",
    category: memory.category !== "",
    topics: memory.topics.length > 0,
    importance: memory.importance !== undefined,
    confidence: memory.confidence !== undefined,
    trust: memory.trust !== Trust.UNSPECIFIED,
    persistent: memory.persistent,
    labels: memory.labels.size > 0,
    metadata: memory.metadata.length > 0,
    valid_from_time: memory.validFromTime !== undefined,
    valid_until_time: memory.validUntilTime !== undefined,
    ttl: memory.ttl !== undefined,
    last_seen_time: memory.lastSeenTime !== undefined,
  });
  if (mask?.includes("*") !== true) return paths;
  return paths.filter((path) => !STRUCTURES.has(path) || path === structure?.$case);
}
