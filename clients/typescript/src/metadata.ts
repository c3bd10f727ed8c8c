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
  const { path: _, ...range } = input;
  return MetadataCondition.fromPartial({ path, test: { $case: "range", value: range } });
}

function toTree(
  $case: "allOf" | "anyOf" | "noneOf",
  conditions: readonly MetadataInput[],
): MetadataCondition {
  return { path: "", test: { $case, value: { conditions: conditions.map(toCondition) } } };
}
