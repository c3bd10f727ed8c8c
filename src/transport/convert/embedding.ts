// Vectors between the wire and the inside.

import * as wire from "../../gen/memorysidecar/v1/document.ts";
import { floatBytes } from "../../lib/floats.ts";
import type { StoredVector } from "../../storage/store.ts";
import { encodeWire } from "../fast-writer.ts";
import { spliceField } from "../splice.ts";

// The field of Embedding that is spliced in, as in document.proto.
const VALUES_FIELD = 1;

/** Gives a checked vector at length 1; undefined when there is none. */
export function fromEmbedding(embedding: wire.Embedding | undefined): StoredVector | undefined {
  if (embedding === undefined) return undefined;
  let sum = 0;
  for (const value of embedding.values) sum += value * value;
  const length = Math.sqrt(sum);
  const values = Float32Array.from(embedding.values, (value) => value / length);
  return { model: embedding.model, values };
}

/** Gives the wire form of a vector. */
export function encodeEmbedding({ model, values }: StoredVector): Uint8Array {
  const rest = encodeWire(wire.Embedding, { values: [], model });
  return spliceField(VALUES_FIELD, [floatBytes([values])], rest);
}
