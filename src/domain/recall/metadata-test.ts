// Whether labels and metadata of one record pass a filter.

import type { FlatMetadata, MetadataTest } from "./filter.ts";

/** Whether metadata holds what a test asks. */
export function passesTest(metadata: FlatMetadata, { path, test }: MetadataTest): boolean {
  const values = metadata.get(path);
  switch (test.kind) {
    case "exists":
      return (values !== undefined) === test.exists;
    case "one-of":
      return values?.some((value) => test.values.includes(value)) ?? false;
    case "range": {
      const { from = -Infinity, to = Infinity, before } = test;
      const isIn = (value: number): boolean =>
        value >= from && value <= to && (before === undefined || value < before);
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
