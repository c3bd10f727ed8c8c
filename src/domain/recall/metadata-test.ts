// Whether labels and metadata of one record pass a filter.

import type { FlatMetadata, MetadataCondition, MetadataTest } from "./filter.ts";

/** Whether metadata holds what a condition asks. */
export function passesCondition(metadata: FlatMetadata, condition: MetadataCondition): boolean {
  if (!("of" in condition)) return passesTest(metadata, condition);
  const { of, conditions } = condition;
  const holds = (one: MetadataCondition): boolean => passesCondition(metadata, one);
  if (of === "all") return conditions.every(holds);
  return conditions.some(holds) === (of === "any");
}

function passesTest(metadata: FlatMetadata, { path, test }: MetadataTest): boolean {
  const values = metadata.get(path);
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
  }
}

/** Whether labels have these values. */
export function hasLabels(
  labels: ReadonlyMap<string, string>,
  wanted: ReadonlyMap<string, string>,
): boolean {
  for (const [key, value] of wanted) if (labels.get(key) !== value) return false;
  return true;
}
