// Values at the limit of a field's rule, and values one beyond it.

import { create, type DescField, fromJson, ScalarType, toBinary } from "@bufbuild/protobuf";
import {
  DurationSchema,
  StructSchema,
  type Timestamp,
  TimestampSchema,
} from "@bufbuild/protobuf/wkt";
import type { FieldRules, TextForm } from "../../../tools/rules.ts";

/** Values that one rule allows and refuses, each for one field or one entry of it. */
export interface Samples {
  readonly rule: string;
  readonly good: readonly unknown[];
  readonly bad: readonly unknown[];
}

const BAD_TEXTS: Readonly<Record<string, readonly string[]>> = {
  ID: ["a\u0000", "\u0085", "\u001f\n"],
  NAMESPACE: ["A", "-a", "a-", "1a", "a_b", "a\n"],
  NAME: ["A", "-a", "_a", "1a", "a.b"],
  COLLECTION_ID: ["/a", "a/", "a//b", "a\nb", "x/".repeat(32).concat("x")],
  LABEL_KEY: ["", "ä", "a b"],
  NOT_BLANK: [" ", "\n\t", "\u00a0"],
};

const SECOND_YEAR_1 = -62_135_596_800n;
const SECOND_YEAR_9999 = 253_402_300_799n;
const INT32_MAX = 2_147_483_647;
const BYTES_OF_E_ACUTE = 2;

/** The samples of every rule of a value: a field, or an entry of a list. */
export function samplesOf(
  field: DescField,
  rules: FieldRules,
  forms: ReadonlyMap<number, TextForm>,
): readonly Samples[] {
  if (field.enum !== undefined) return [enumSamples(field)];
  if (field.message !== undefined) return messageSamples(field, rules);
  switch (field.scalar) {
    case ScalarType.BOOL:
      return [];
    case ScalarType.STRING:
      return textSamples(rules, forms.get(rules.form));
    case ScalarType.BYTES:
      return rules.maxBytes === 0
        ? []
        : [limit("max_bytes", (extra) => new Uint8Array(rules.maxBytes + extra))];
    default:
      return numberSamples(field, rules);
  }
}

function limit(rule: string, make: (extra: number) => unknown): Samples {
  return { rule, good: [make(0)], bad: [make(1)] };
}

function enumSamples({ enum: type }: DescField): Samples {
  const known = new Set(type?.values.map(({ number }) => number));
  const unknown = [-1, 999, INT32_MAX].filter((number) => !known.has(number));
  return { rule: "enum", good: [...known].filter((number) => number !== 0), bad: unknown };
}

function textSamples(
  { maxBytes, notEmpty }: FieldRules,
  form: TextForm | undefined,
): readonly Samples[] {
  const samples: Samples[] = notEmpty ? [{ rule: "not_empty", good: ["a"], bad: [""] }] : [];
  if (maxBytes > 0) {
    const wide = "é".repeat(Math.floor(maxBytes / BYTES_OF_E_ACUTE) + 1);
    const { good, bad } = limit("max_bytes", (extra) => "a".repeat(maxBytes + extra));
    samples.push({ rule: "max_bytes", good, bad: [...bad, wide] });
  }
  if (form === undefined) return samples;
  const { maxChars, name } = form;
  const long = maxChars > 0 ? ["a".repeat(maxChars + 1)] : [];
  const bad = [...(BAD_TEXTS[name] ?? []).filter((text) => text !== ""), ...long];
  const good = ["a", ...(maxChars > 0 ? ["a".repeat(maxChars)] : [])];
  return [...samples, { rule: `form ${name}`, good, bad }];
}

function numberSamples(field: DescField, rules: FieldRules): readonly Samples[] {
  const isFloat = field.scalar === ScalarType.DOUBLE || field.scalar === ScalarType.FLOAT;
  const isLong = [ScalarType.INT64, ScalarType.UINT64].some((type) => type === field.scalar);
  const step = isFloat ? 1e-3 : 1;
  const make = (value: number): unknown => (isLong ? BigInt(value) : value);
  const odd = isFloat ? [NaN, Infinity, -Infinity] : [];
  const samples = boundSamples(rules, make, step);
  return odd.length === 0 ? samples : [...samples, { rule: "finite", good: [], bad: odd }];
}

/** The bounds of a number, with the adjacent values. */
function boundSamples(
  { min, max, above, below }: FieldRules,
  make: (value: number) => unknown,
  step: number,
): Samples[] {
  const bound = (rule: string, at: number | undefined, good: number, bad: number): Samples[] =>
    at === undefined
      ? []
      : [{ rule, good: [make(at + good)], bad: at + bad > INT32_MAX ? [] : [make(at + bad)] }];
  return [
    ...bound("min", min, 0, -step),
    ...bound("max", max, 0, step),
    ...bound("above", above, step, 0),
    ...bound("below", below, -step, 0),
  ];
}

function messageSamples({ message }: DescField, rules: FieldRules): readonly Samples[] {
  switch (message?.typeName) {
    case "google.protobuf.Timestamp":
      return [
        {
          rule: "timestamp",
          good: [time(SECOND_YEAR_1), time(SECOND_YEAR_9999, 999_999_999)],
          bad: [time(SECOND_YEAR_1 - 1n), time(SECOND_YEAR_9999 + 1n), time(0n, 1_000_000_000)],
        },
      ];
    case "google.protobuf.Duration":
      return boundSamples(rules, span, 1e-3);
    case "google.protobuf.Struct":
      if (rules.maxBytes === 0) return [];
      return [
        limit("max_bytes", (extra) => structOf(rules.maxBytes + extra)),
        limit("max_depth", (extra) => nested(rules.maxDepth + extra)),
      ];
    default:
      return [];
  }
}

function time(seconds: bigint, nanos = 0): Timestamp {
  return create(TimestampSchema, { seconds, nanos });
}

function span(seconds: number): unknown {
  const millis = Math.round(seconds * 1_000);
  const whole = Math.floor(millis / 1_000);
  const nanos = (millis - whole * 1_000) * 1_000_000;
  return create(DurationSchema, { seconds: BigInt(whole), nanos });
}

/** Free-form data of a size in bytes. */
function structOf(bytes: number): unknown {
  // One more character may add more than one byte, so the key fills the rest.
  for (const key of ["a", "ab", "abc", "abcd"]) {
    const make = (chars: number) => fromJson(StructSchema, { [key]: "x".repeat(chars) });
    const around = toBinary(StructSchema, make(bytes)).length - bytes;
    for (let chars = bytes - around; chars < bytes; chars++) {
      const struct = make(chars);
      if (toBinary(StructSchema, struct).length === bytes) return struct;
    }
  }
  throw new Error(`no Struct takes ${bytes} bytes`);
}

/** Free-form data of a depth. */
function nested(levels: number): unknown {
  let inner = {};
  for (let level = 1; level < levels; level++) inner = { a: inner };
  return fromJson(StructSchema, inner);
}
