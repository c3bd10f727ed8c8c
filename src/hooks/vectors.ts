// The names of what makes vectors.

import { createHash } from "node:crypto";
import { LIMITS } from "../domain/limits.ts";

const HASH_CHARS = 12;

/** Names what makes vectors: another name for another model, length or way to write texts. */
export function modelId(model: string, dimensions: number, recipe: readonly string[]): string {
  const written = recipe.every((part) => part === "") ? "" : `#${hash(recipe)}`;
  const id = `${model}@${dimensions}${written}`;
  if (Buffer.byteLength(id) <= LIMITS.embeddingModelBytes) return id;
  return `${hash([model])}@${dimensions}${written}`;
}

function hash(parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, HASH_CHARS);
}
