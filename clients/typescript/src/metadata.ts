// Conditions on the metadata and labels of records.

import { onlyFields } from "./choice.ts";
import { LabelCondition, MetadataCondition } from "./gen/memorysidecar/v1/filter.ts";

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

/** A condition on a label. */
export type LabelTestInput = { readonly label: string } & (
  | { readonly equals: string }
  | { readonly oneOf: readonly string[] }
  | { readonly exists: boolean }
  /** Texts, compared by the bytes of their UTF-8. */
  | { readonly min?: string; readonly max?: string; readonly lessThan?: string }
  | { readonly startsWith: string }
  | { readonly contains: string }
);

/** A condition: on metadata at a path, on a label, or all, any or none of several conditions. */
export type MetadataInput =
  | MetadataTestInput
  | LabelTestInput
  | { readonly allOf: readonly MetadataInput[] }
  | { readonly anyOf: readonly MetadataInput[] }
  | { readonly noneOf: readonly MetadataInput[] };

const CONDITION = {
  ...{ path: true, label: true, equals: true, oneOf: true, exists: true, min: true, max: true },
  ...{ lessThan: true, startsWith: true, contains: true },
  ...{ allOf: true, anyOf: true, noneOf: true },
} as const;

/** Makes a condition on metadata and labels. */
export function toCondition(input: MetadataInput): MetadataCondition {
  onlyFields("condition", input, CONDITION);
  if ("allOf" in input) return toTree("allOf", input.allOf);
  if ("anyOf" in input) return toTree("anyOf", input.anyOf);
  if ("noneOf" in input) return toTree("noneOf", input.noneOf);
  if ("label" in input) {
    const value = LabelCondition.fromPartial({ key: input.label, test: labelTest(input) });
    return { path: "", test: { $case: "label", value } };
  }
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

function labelTest(input: LabelTestInput): NonNullable<LabelCondition["test"]> {
  if ("equals" in input) return { $case: "equalTo", value: input.equals };
  if ("oneOf" in input) return { $case: "oneOf", value: { values: [...input.oneOf] } };
  if ("exists" in input) return { $case: "exists", value: input.exists };
  if ("startsWith" in input) return { $case: "startsWith", value: input.startsWith };
  if ("contains" in input) return { $case: "contains", value: input.contains };
  const { min, max, lessThan } = input;
  return { $case: "textRange", value: { min, max, lessThan } };
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
