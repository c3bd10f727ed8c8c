// What a filter says of labels, metadata and ids of items, answered in two ways: as a test of one
// item, and as a set of bits for all of them.

import type { MetadataCondition, RecallFilter } from "../domain/recall/filter.ts";
import type { ValueTable, ValueTest } from "./values.ts";

/** Names of columns of the value table: labels and metadata must not meet. */
export const NAMES = {
  label: (key: string): string => `l${key}`,
  metadata: (path: string): string => `m${path}`,
  documentId: "d",
  sourceId: "s",
} as const;

/** A condition on values: the names under which one must be found. */
interface ValueCondition {
  readonly names: readonly string[];
  readonly test: ValueTest;
  readonly negated: boolean;
}

/** What must hold of an item. */
export type ItemCondition =
  | ValueCondition
  | { readonly of: "all" | "any" | "none"; readonly conditions: readonly ItemCondition[] };

/** The conditions of a filter; all of them must hold. */
export function conditionsOf(filter: RecallFilter): ItemCondition[] {
  const equal = (names: readonly string[], value: string): ItemCondition => {
    return { names, test: { kind: "one-of", values: [value] }, negated: false };
  };
  const { sourceDocumentId: source } = filter;
  return [
    ...[...filter.labels].map(([key, value]) => equal([NAMES.label(key)], value)),
    ...filter.metadata.map(metadataCondition),
    ...(source === "" ? [] : [equal([NAMES.documentId, NAMES.sourceId], source)]),
  ];
}

function metadataCondition(condition: MetadataCondition): ItemCondition {
  if ("of" in condition) {
    return { of: condition.of, conditions: condition.conditions.map(metadataCondition) };
  }
  const { path, test } = condition;
  const negated = test.kind === "exists" && !test.exists;
  return { names: [NAMES.metadata(path)], test, negated };
}

/** Makes the test of one item by a condition. */
export function itemTester(
  values: ValueTable,
  condition: ItemCondition,
): (item: number) => boolean {
  if ("of" in condition) {
    const testers = condition.conditions.map((one) => itemTester(values, one));
    if (condition.of === "all") return (item) => testers.every((fits) => fits(item));
    const isAny = condition.of === "any";
    return (item) => testers.some((fits) => fits(item)) === isAny;
  }
  const { names, test, negated } = condition;
  const testers = names.map((name) => values.tester(name, test));
  return (item) => testers.some((fits) => fits(item)) !== negated;
}

/**
 * Bits of the items below `count` for which all conditions hold, at least one. Bits behind `count`,
 * and those of dead items, are of no meaning.
 */
export function itemBits(
  values: ValueTable,
  conditions: readonly ItemCondition[],
  count: number,
): Uint32Array {
  return allOf(conditions.map((condition) => bitsOf(values, condition, count)));
}

function bitsOf(values: ValueTable, condition: ItemCondition, count: number): Uint32Array {
  if ("of" in condition) {
    const parts = condition.conditions.map((one) => bitsOf(values, one, count));
    if (condition.of === "all") return allOf(parts);
    const any = anyOf(parts);
    return condition.of === "any" ? any : inverted(any);
  }
  const words = new Uint32Array((count + 31) >>> 5);
  for (const name of condition.names) values.mark(name, condition.test, words);
  return condition.negated ? inverted(words) : words;
}

// Each changes the first of the sets that it is given, which nobody else has.

function allOf([first = new Uint32Array(0), ...rest]: readonly Uint32Array[]): Uint32Array {
  for (const words of rest) {
    for (let at = 0; at < first.length; at++) first[at] = (first[at] ?? 0) & (words[at] ?? 0);
  }
  return first;
}

function anyOf([first = new Uint32Array(0), ...rest]: readonly Uint32Array[]): Uint32Array {
  for (const words of rest) {
    for (let at = 0; at < first.length; at++) first[at] = (first[at] ?? 0) | (words[at] ?? 0);
  }
  return first;
}

function inverted(words: Uint32Array): Uint32Array {
  for (let at = 0; at < words.length; at++) words[at] = ~(words[at] ?? 0);
  return words;
}
