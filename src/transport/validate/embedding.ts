// The rules of vectors.

import { LIMITS } from "../../domain/limits.ts";
import type { Embedding } from "../../gen/memorysidecar/v1/document.ts";
import { checkCount, checkText } from "./fields.ts";
import type { Violations } from "./violations.ts";

/** Checks a vector in the field `embedding`, if there is one. */
export function checkEmbedding(v: Violations, embedding: Embedding | undefined): void {
  if (embedding === undefined) return;
  const { values, model } = embedding;
  v.enter("embedding");
  if (values.length === 0) v.add("values", "must have 1 entry at least", 1);
  else if (values.length > LIMITS.embeddingValues) {
    checkCount(v, "values", values.length, LIMITS.embeddingValues);
  } else checkValues(v, values);
  checkText(v, "model", model, LIMITS.embeddingModelBytes);
  v.leave();
}

function checkValues(v: Violations, values: readonly number[]): void {
  const odd = values.findIndex((value) => !Number.isFinite(value));
  if (odd >= 0) v.add(`values[${odd}]`, "must be a finite number");
  else if (values.every((value) => value === 0)) v.add("values", "must not be all zero");
}
