// The rules of vectors.

import type { Embedding } from "../../gen/memorysidecar/v1/document.ts";
import type { Violations } from "./violations.ts";

/** Checks a vector in the field `embedding`, if there is one. */
export function checkEmbedding(v: Violations, embedding: Embedding | undefined): void {
  if (embedding === undefined) return;
  // A list without entries is a fault of its own.
  const { values } = embedding;
  if (values.length > 0 && values.every((value) => value === 0)) {
    v.add("embedding.values", "must not be all zero");
  }
}
