// Vectors as bytes: 32-bit floats, the lowest byte first, whatever the machine does.

const IS_LITTLE = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;

function swap(bytes: Buffer): Buffer {
  return IS_LITTLE ? bytes : bytes.swap32();
}

/** The bytes of some vectors, one after the other. */
export function floatBytes(vectors: readonly Float32Array[]): Buffer {
  const length = vectors.reduce((sum, vector) => sum + vector.byteLength, 0);
  const bytes = Buffer.allocUnsafeSlow(length);
  let position = 0;
  for (const vector of vectors) {
    bytes.set(new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength), position);
    position += vector.byteLength;
  }
  return swap(bytes);
}

/** The numbers in some bytes, as an array of its own. Throws an Error at a part of a number. */
export function floatsOf(bytes: Uint8Array): Float32Array {
  if (bytes.length % 4 !== 0) {
    throw new Error("A vector ends in the middle of a number.");
  }
  const values = new Float32Array(bytes.length / 4);
  const copy = Buffer.from(values.buffer);
  copy.set(bytes);
  swap(copy);
  return values;
}
