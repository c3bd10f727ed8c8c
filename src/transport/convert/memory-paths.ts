// Which paths of a memory an update changes.

import type * as wire from "../../gen/memorysidecar/v1/memory.ts";
import type { MemoryPath } from "../../service/memory-api.ts";
import { MEMORY_MASK, maskedPaths } from "../validate/mask.ts";

const STRUCTURES: ReadonlySet<string> = new Set(["entity", "relation", "episode"]);

/** Gives the paths that an update changes; `*` names of the structures only the one that is set. */
export function memoryPaths(
  { structure }: Pick<wire.Memory, "structure">,
  mask: readonly string[] | undefined,
): readonly MemoryPath[] {
  const paths = maskedPaths(mask, MEMORY_MASK) ?? [];
  if (mask?.includes("*") !== true) return paths;
  return paths.filter((path) => !STRUCTURES.has(path) || path === structure?.$case);
}
