// A writer for the generated encoders that is several times faster than the one of the library: it
// writes into one buffer that is used again and again, and copies out the finished message. Appends
// encode three messages each, so this is a large part of their cost.
//
// Lengths come before what they measure. One byte is left for them, and the content is moved when
// it turns out to need more.

import { BinaryWriter } from "@bufbuild/protobuf/wire";
import { Slab } from "../kit/bytes.ts";

const FIRST_BYTES = 65_536;
// A larger buffer is given back after the message that needed it.
const KEPT_BYTES = 4_194_304;
const VARINT_BYTES_MAX = 10;
const DOUBLE_BYTES = 8;
const FLOAT_BYTES = 4;
// Below this a loop over the characters is faster than a call into the runtime.
const SHORT_CHARS = 48;
const BYTES_PER_CHAR_MAX = 3;
const MASK_64 = (1n << 64n) - 1n;

function varintSize(value: number): number {
  if (value < 0x80) return 1;
  if (value < 0x4000) return 2;
  if (value < 0x20_0000) return 3;
  if (value < 0x1000_0000) return 4;
  return 5;
}

function unsupported(): never {
  throw new Error("the writer does not know this kind of field");
}

// Bytes that are sent or saved at once, and not kept.
const BRIEF = new Slab(65_536);

class FastWriter extends BinaryWriter {
  #target = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #at = 0;
  readonly #starts: number[] = [];

  /** Begins a new message. */
  reset(): void {
    this.#at = 0;
    this.#starts.length = 0;
    if (this.#target.length > KEPT_BYTES) this.#target = Buffer.allocUnsafeSlow(FIRST_BYTES);
  }

  override finish(): Uint8Array<ArrayBuffer> {
    return this.finishInto(BRIEF);
  }

  /** The message in a piece of a slab. */
  finishInto(slab: Slab): Uint8Array<ArrayBuffer> {
    const bytes = slab.take(this.#at);
    this.#target.copy(bytes, 0, 0, this.#at);
    return bytes;
  }

  override uint32(value: number): this {
    this.#reserve(VARINT_BYTES_MAX);
    this.#writeVarint(value);
    return this;
  }

  override int32(value: number): this {
    return value >= 0 ? this.uint32(value) : this.int64(BigInt(value));
  }

  override bool(value: boolean): this {
    return this.uint32(value ? 1 : 0);
  }

  override int64(value: string | number | bigint): this {
    this.#reserve(VARINT_BYTES_MAX);
    const number = Number(value);
    if (number >= 0 && number <= Number.MAX_SAFE_INTEGER) {
      this.#writeVarint(number);
      return this;
    }
    let rest = BigInt(value) & MASK_64;
    while (rest >= 0x80n) {
      this.#target[this.#at++] = Number(rest & 0x7fn) | 0x80;
      rest >>= 7n;
    }
    this.#target[this.#at++] = Number(rest);
    return this;
  }

  override double(value: number): this {
    this.#reserve(DOUBLE_BYTES);
    this.#at = this.#target.writeDoubleLE(value, this.#at);
    return this;
  }

  override float(value: number): this {
    this.#reserve(FLOAT_BYTES);
    this.#at = this.#target.writeFloatLE(value, this.#at);
    return this;
  }

  override bytes(value: Uint8Array): this {
    this.#reserve(value.length + VARINT_BYTES_MAX);
    this.#writeVarint(value.length);
    this.#target.set(value, this.#at);
    this.#at += value.length;
    return this;
  }

  override string(value: string): this {
    this.#reserve(value.length * BYTES_PER_CHAR_MAX + VARINT_BYTES_MAX);
    const start = this.#at;
    if (value.length < SHORT_CHARS && this.#writeAscii(value, start + 1)) {
      this.#target[start] = value.length;
      this.#at = start + 1 + value.length;
      return this;
    }
    const expected = varintSize(value.length);
    const size = this.#target.write(value, start + expected, "utf8");
    this.#at = start + expected + size;
    this.#closeLength(start, expected, size);
    return this;
  }

  override fork(): this {
    this.#reserve(VARINT_BYTES_MAX);
    this.#starts.push(this.#at);
    this.#at += 1;
    return this;
  }

  override join(): this {
    const start = this.#starts.pop() ?? 0;
    this.#reserve(VARINT_BYTES_MAX);
    this.#closeLength(start, 1, this.#at - start - 1);
    return this;
  }

  // The contract has no field of these kinds. One that comes must be built here first: the
  // library's own methods would write to a buffer that nobody reads.
  override uint64 = unsupported;
  override sint32 = unsupported;
  override sint64 = unsupported;
  override fixed32 = unsupported;
  override sfixed32 = unsupported;
  override fixed64 = unsupported;
  override sfixed64 = unsupported;
  override raw = unsupported;

  /** Writes the length of the content behind it, for which `left` bytes were left free. */
  #closeLength(start: number, left: number, size: number): void {
    const needed = varintSize(size);
    if (needed !== left) this.#target.copyWithin(start + needed, start + left, start + left + size);
    this.#at = start;
    this.#writeVarint(size);
    this.#at += size;
  }

  /** Writes a short ASCII text; gives false, having written nothing of use, if it is not. */
  #writeAscii(value: string, from: number): boolean {
    for (let index = 0; index < value.length; index++) {
      const code = value.charCodeAt(index);
      if (code >= 0x80) return false;
      this.#target[from + index] = code;
    }
    return true;
  }

  #writeVarint(value: number): void {
    let rest = value;
    while (rest >= 0x8000_0000) {
      this.#target[this.#at++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    while (rest >= 0x80) {
      this.#target[this.#at++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.#target[this.#at++] = rest;
  }

  #reserve(bytes: number): void {
    const needed = this.#at + bytes;
    if (needed <= this.#target.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#target.length * 2));
    larger.set(this.#target.subarray(0, this.#at));
    this.#target = larger;
  }
}

const writer = new FastWriter();

/** A generated message type. */
export interface Encodable<T> {
  readonly encode: (message: T, writer: BinaryWriter) => BinaryWriter;
}

/**
 * Gives the wire form of a message. Default: in a slab for what is done with soon; what is kept
 * longer brings a slab of its own.
 */
export function encodeWire<T>(type: Encodable<T>, message: T, slab: Slab = BRIEF): Uint8Array {
  writer.reset();
  type.encode(message, writer);
  return writer.finishInto(slab);
}
