// Tests of sessions, memories, metadata and labels by a filter.

import { holdsPart } from "../../kit/find-part.ts";
import type { MemoryKind, MemoryScope } from "../../memory/rules/memory.ts";
import type { ScopeFilter } from "../../memory/rules/scopes.ts";
import type {
  Described,
  MetadataCondition,
  RecallFilter,
  Scalar,
  TextTest,
  ValueTest,
} from "./filter.ts";

/**
 * Whether a filter means the messages of a session. Its user is compared as that of a memory is:
 * one without a user is shared. Its agent and its id count only where the filter names them.
 */
export function sessionPasses(session: MemoryScope, filter: ScopeFilter): boolean {
  if (filter.kind === "everyone") return true;
  const { kind, scope: wanted } = filter;
  const isOpen = kind === "visible-to";
  const { userId } = session;
  const isUser = userId === wanted.userId || (isOpen && userId === "");
  if (!isUser && !(kind === "owned-by" && wanted.userId === "")) return false;
  const hasAgent = session.agentId === wanted.agentId || wanted.agentId === "";
  if (!hasAgent && !(isOpen && session.agentId === "")) return false;
  return isOpen || wanted.sessionId === "" || session.sessionId === wanted.sessionId;
}

// Conditions on memories.

/** The fields of a memory that filters read. */
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

/** The conditions of a filter on memories themselves. */
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
  /** Memories that have expired by then are left out. */
  readonly nowMs: number;
  /** The time that `now` stands for. */
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

// Whether labels and metadata of one record pass a filter.

/** Whether a record holds what all of these conditions ask. */
export function passesAll(record: Described, conditions: readonly MetadataCondition[]): boolean {
  return conditions.every((condition) => passesCondition(record, condition));
}

/** Whether a record holds what a condition asks. */
export function passesCondition(record: Described, condition: MetadataCondition): boolean {
  if ("path" in condition) return passesTest(record.metadata.get(condition.path), condition.test);
  if ("label" in condition) {
    const label = record.labels.get(condition.label);
    return passesTest(label === undefined ? undefined : [label], condition.test);
  }
  const { of, conditions } = condition;
  const holds = (one: MetadataCondition): boolean => passesCondition(record, one);
  if (of === "all") return conditions.every(holds);
  return conditions.some(holds) === (of === "any");
}

function passesTest(values: readonly Scalar[] | undefined, test: ValueTest): boolean {
  switch (test.kind) {
    case "exists":
      return (values !== undefined) === test.exists;
    case "one-of":
      return values?.some((value) => test.values.includes(value)) ?? false;
    case "range": {
      const { min = -Infinity, max = Infinity, lessThan } = test;
      const isIn = (value: number): boolean =>
        value >= min && value <= max && (lessThan === undefined || value < lessThan);
      return values?.some((value) => typeof value === "number" && isIn(value)) ?? false;
    }
    default:
      return values?.some((value) => typeof value === "string" && fitsText(value, test)) ?? false;
  }
}

/** Whether a text is as a test wants it. */
export function fitsText(text: string, test: TextTest): boolean {
  switch (test.kind) {
    case "starts-with":
      return text.startsWith(test.text);
    case "contains":
      return holdsPart(text, test.text);
    case "text-range": {
      const { min, max, lessThan } = test;
      return (
        (min === undefined || compareTexts(text, min) >= 0) &&
        (max === undefined || compareTexts(text, max) <= 0) &&
        (lessThan === undefined || compareTexts(text, lessThan) < 0)
      );
    }
  }
}

/** Compares texts by the bytes of their UTF-8: below, at or above 0. */
export function compareTexts(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** Whether labels have these values. */
export function hasLabels(
  labels: ReadonlyMap<string, string>,
  wanted: ReadonlyMap<string, string>,
): boolean {
  for (const [key, value] of wanted) if (labels.get(key) !== value) return false;
  return true;
}
