// From what a sentence transformer puts out to one vector for each text.

import { toUnitLength } from "./embedder.ts";
import type { Pooling } from "./onnx-directory.ts";

/** The output of a model for a batch. */
export interface ModelOutput {
  /** Texts, tokens and numbers a token; or texts and numbers a text. */
  readonly dims: readonly number[];
  readonly data: Float32Array;
}

/** The tokens of a batch: as many numbers for each text, filled up at the end. */
export interface TokenBatch {
  /** The tokens of each text without those it is filled up with. */
  readonly lengths: readonly number[];
  /** Tokens of each text with those. */
  readonly width: number;
}

/**
 * Makes one vector of unit length for each text of a batch. Throws when the output does not fit the
 * batch.
 */
export function pooledVectors(
  output: ModelOutput,
  batch: TokenBatch,
  pooling: Pooling,
): Float32Array[] {
  const { dims } = output;
  const texts = batch.lengths.length;
  const isPooled = dims.length === 2 && dims[0] === texts;
  const isTokens = dims.length === 3 && dims[0] === texts && dims[1] === batch.width;
  if (!isPooled && !isTokens) {
    const wanted = `[${texts}, ${batch.width}, dimensions] or [${texts}, dimensions]`;
    throw new Error(`the model puts out [${dims.join(", ")}] where ${wanted} is expected`);
  }
  const dimensions = dims.at(-1) ?? 0;
  return batch.lengths.map((length, text) => {
    const start = text * (isPooled ? 1 : batch.width) * dimensions;
    const vector = isPooled
      ? output.data.slice(start, start + dimensions)
      : pooled(output.data.subarray(start, start + length * dimensions), dimensions, pooling);
    if (!vector.every(Number.isFinite)) throw new Error("the model puts out no finite numbers");
    return toUnitLength(vector);
  });
}

/** Pools the vectors of the tokens of one text. The scale does not matter: it is lost after. */
function pooled(tokens: Float32Array, dimensions: number, pooling: Pooling): Float32Array {
  if (pooling === "cls") return tokens.slice(0, dimensions);
  if (pooling === "last") return tokens.slice(Math.max(0, tokens.length - dimensions));
  const vector = tokens.slice(0, dimensions);
  for (let at = dimensions; at < tokens.length; at += 1) {
    const value = tokens[at] ?? 0;
    const place = at % dimensions;
    const held = vector[place] ?? 0;
    vector[place] = pooling === "max" ? Math.max(held, value) : held + value;
  }
  return vector;
}
