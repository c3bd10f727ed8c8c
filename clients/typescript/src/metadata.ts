// Conditions on the metadata of records.

import { MetadataCondition } from "./gen/memorysidecar/v1/filter.ts";

/** A value that metadata can be compared with. */
export type ScalarInput = string | number | boolean | null;

/** A condition on the metadata at a path. */
export type MetadataTestInput = { readonly path: string } & (
  | { readonly equals: ScalarInput }
  | { readonly oneOf: readonly ScalarInput[] }
  | { readonly exists: boolean }
  | { readonly min?: number; readonly max?: number; readonly lessThan?: number }
  /** Texts, compared by the bytes of their UTF-8. */
  | { readonly min?: string; readonly max?: string; readonly lessThan?: string }
  | { readonly startsWith: string }
  | { readonly contains: string }
);

/** A condition on metadata: at a path, or all, any or none of several conditions. */
export type MetadataInput =
  | MetadataTestInput
  | { readonly allOf: readonly MetadataInput[] }
  | { readonly anyOf: readonly MetadataInput[] }
  | { readonly noneOf: readonly MetadataInput[] };

/** Makes a condition on metadata. */
export function toCondition(input: MetadataInput): MetadataCondition {
  if ("allOf" in input) return toTree("allOf", input.allOf);
  if ("anyOf" in input) return toTree("anyOf", input.anyOf);
  if ("noneOf" in input) return toTree("noneOf", input.noneOf);
  const { path } = input;
  if ("equals" in input) {
    return MetadataCondition.fromPartial({ path, test: { $case: "equalTo", value: input.equals } });
  }
  if ("oneOf" in input) {
    const value: unknown[] = [...input.oneOf];
    return MetadataCondition.fromPartial({ path, test: { $case: "oneOf", value } });
  }
  if ("exists" in input) {
    return MetadataCondition.fromPartial({ path, test: { $case: "exists", value: input.exists } });
  }
  if ("startsWith" in input) {
    return MetadataCondition.fromPartial({
      ...{ path, test: { $case: "startsWith", value: input.startsWith } },
    });
  }
  if ("contains" in input) {
    return MetadataCondition.fromPartial({
      path,
      test: { $case: "contains", value: input.contains },
    });
  }
  const { path: _, ...range } = input;
  if (isTextRange(range)) {
    return MetadataCondition.fromPartial({ path, test: { $case: "textRange", value: range } });
  }
  return MetadataCondition.fromPartial({ path, test: { $case: "range", value: range } });
}

type RangeOf<T> = { readonly min?: T; readonly max?: T; readonly lessThan?: T };

function isTextRange(range: RangeOf<number> | RangeOf<string>): range is RangeOf<string> {
  return [range.min, range.max, range.lessThan].some((end) => typeof end === "string");
}

function toTree(
  $case: "allOf" | "anyOf" | "noneOf",
  conditions: readonly MetadataInput[],
): MetadataCondition {
  return { path: "", test: { $case, value: { conditions: conditions.map(toCondition) } } };
}
