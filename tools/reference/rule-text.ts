// The rules of a field in words, for the tables of the reference.

import type { DescField } from "@bufbuild/protobuf";
import type { FieldRules, RuleReader, TextForm } from "../rules.ts";

/** Describes the rules of a field; empty for a field without rules. */
export function ruleText(reader: RuleReader, field: DescField): string {
  if (!reader.hasRules(field)) return "";
  const rules = reader.of(field);
  if (rules.outputOnly) return "output only";
  const forms = reader.forms();
  const isDuration = field.message?.typeName === "google.protobuf.Duration";
  return [
    ...(rules.required ? ["required"] : []),
    ...(rules.notEmpty ? ["not empty when set"] : []),
    ...countText(field, rules),
    ...sizeText(field, rules),
    ...boundsText(rules, isDuration ? " seconds" : ""),
    ...formText(forms.get(rules.form), ""),
    ...formText(forms.get(rules.keyForm), "keys "),
    ...(rules.checkedByRpc ? ["checked by the rpc itself"] : []),
    ...(rules.destructive ? ["makes the call destructive"] : []),
  ].join("; ");
}

function numberText(value: number): string {
  if (value === Number.MAX_SAFE_INTEGER) return "2^53 - 1";
  return value.toLocaleString("en-US", { maximumFractionDigits: 6 });
}

function countText({ fieldKind }: DescField, rules: FieldRules): string[] {
  const entries = rules.maxItems > 0 ? [`at most ${numberText(rules.maxItems)} entries`] : [];
  return rules.requiredEntries && fieldKind === "list" ? [...entries, "no entry empty"] : entries;
}

function sizeText({ fieldKind }: DescField, rules: FieldRules): string[] {
  const { maxBytes, maxKeyBytes, maxDepth } = rules;
  const what = { list: "each ", map: "values " }[fieldKind as string] ?? "";
  return [
    ...(maxBytes > 0 ? [`${what}at most ${numberText(maxBytes)} bytes`] : []),
    ...(maxKeyBytes > 0 ? [`keys 1 to ${numberText(maxKeyBytes)} bytes`] : []),
    ...(maxDepth > 0 ? [`at most ${numberText(maxDepth)} levels`] : []),
  ];
}

function boundsText({ min, max, above, below }: FieldRules, unit: string): string[] {
  if (min !== undefined && max !== undefined) {
    return [`${numberText(min)} to ${numberText(max)}${unit}`];
  }
  const bounds: readonly (readonly [string, number | undefined])[] = [
    ["at least", min],
    ["above", above],
    ["at most", max],
    ["below", below],
  ];
  return bounds.flatMap(([word, value]) =>
    value === undefined ? [] : [`${word} ${numberText(value)}${unit}`],
  );
}

function formText(form: TextForm | undefined, what: string): string[] {
  if (form === undefined) return [];
  return [`${what}${form.meaning.replace(/^must (be|hold) |^must /, "")}`];
}
