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
  if (bytes.length % 4 !== 0) throw new Error("A vector ends in the middle of a number.");
  const values = new Float32Array(bytes.length / 4);
  const copy = Buffer.from(values.buffer);
  copy.set(bytes);
  swap(copy);
  return values;
}

// Small byte arrays that share large buffers. An ArrayBuffer of its own costs more than the bytes
// of a small record: an allocation outside the heap, and work for the collector until it is freed.
// A piece keeps its whole buffer in memory, so pieces of one slab should be done with at about the
// same time.

/** Gives out pieces of large buffers. */
export class Slab {
  readonly #size: number;
  #buffer: Buffer<ArrayBuffer>;
  #position = 0;

  constructor(size: number) {
    this.#size = size;
    this.#buffer = Buffer.allocUnsafeSlow(size);
  }

  /** A piece that is given out once; its bytes are not cleared. */
  take(bytes: number): Buffer<ArrayBuffer> {
    if (bytes > this.#size >> 2) return Buffer.allocUnsafeSlow(bytes);
    if (this.#position + bytes > this.#size) {
      this.#buffer = Buffer.allocUnsafeSlow(this.#size);
      this.#position = 0;
    }
    const start = this.#position;
    this.#position += bytes;
    return this.#buffer.subarray(start, this.#position);
  }
}
