// Which memories a recall may find, as far as it is asked of a memory itself.

import type { MemoryKind } from "../memories/memory.ts";
import type { RecallFilter } from "./filter.ts";

/** What the filters need to know of a memory. */
export interface FilteredMemory {
  readonly kind: MemoryKind;
  /** In lower case. */
  readonly category: string;
  readonly confidence: number;
  readonly isSuperseded: boolean;
  readonly validFromMs: number | undefined;
  readonly validToMs: number | undefined;
  readonly expireMs: number | undefined;
}

/** What a filter says of memories themselves. */
export type MemoryConditions = Pick<
  RecallFilter,
  "memoryKinds" | "categories" | "validity" | "minConfidence"
>;

/** Asks nothing of memories but that they are active and true. */
export const TRUE_MEMORIES: MemoryConditions = {
  ...{ memoryKinds: new Set(), categories: new Set(), validity: "now" },
  minConfidence: undefined,
};

/** The times that a filter is applied at. */
export interface FilterTimes {
  /** What has run out by then is left out. */
  readonly nowMs: number;
  /** What is true now is true at this time. */
  readonly referenceMs: number;
}

/** Whether a memory passes. One whose time has run out never does. */
export function memoryPasses(
  memory: FilteredMemory,
  filter: MemoryConditions,
  times: FilterTimes,
): boolean {
  const { memoryKinds, categories, minConfidence } = filter;
  if (memory.expireMs !== undefined && memory.expireMs <= times.nowMs) return false;
  if (memoryKinds.size > 0 && !memoryKinds.has(memory.kind)) return false;
  if (categories.size > 0 && !categories.has(memory.category)) return false;
  if (minConfidence !== undefined && memory.confidence < minConfidence) return false;
  return isValid(memory, filter.validity, times.referenceMs);
}

function isValid(
  { isSuperseded, validFromMs, validToMs }: FilteredMemory,
  validity: RecallFilter["validity"],
  referenceMs: number,
): boolean {
  if (validity === "any") return true;
  if (isSuperseded && typeof validity === "string") return false;
  if (validity === "active") return true;
  const atMs = validity === "now" ? referenceMs : validity;
  const { from, to } = { from: validFromMs ?? -Infinity, to: validToMs ?? Infinity };
  return from <= atMs && atMs < to;
}
