// The interface of models that turn text into vectors in this process.

/** The purpose of a text: models with prefixes read a query in another way than a passage. */
export type EmbedPurpose = "query" | "passage";

/** Turns text into vectors that can be compared with those of the same `model` only. */
export interface Embedder {
  /** The name that settings and answers use, for example `static`. */
  readonly name: string;
  /**
   * Names the model, its dimensions and how text is made ready for it. Vectors of different ids
   * are never compared.
   */
  readonly model: string;
  /** Number of values of a vector. */
  readonly dimensions: number;
  /**
   * Gives one vector of unit length for each text, in order. A text without anything that the model
   * knows has the zero vector. Throws AppError EMBEDDER_UNAVAILABLE when the model cannot answer,
   * and the signal's reason when it is aborted.
   */
  embed(
    texts: readonly string[],
    purpose: EmbedPurpose,
    signal?: AbortSignal,
  ): Promise<Float32Array[]>;
  /** Frees what the embedder holds; calls under way fail. */
  close(): Promise<void>;
}

/** Scales a vector to unit length in place; the zero vector stays as it is. */
export function toUnitLength(vector: Float32Array): Float32Array {
  let sum = 0;
  for (const value of vector) sum += value * value;
  if (sum === 0) return vector;
  const factor = 1 / Math.sqrt(sum);
  for (let i = 0; i < vector.length; i += 1) vector[i] = (vector[i] ?? 0) * factor;
  return vector;
}
