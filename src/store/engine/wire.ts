// A writer and a reader of protobuf wire bytes for the records that every append touches. The
// generated code does the same with bigints at several times the cost; wire.test.ts and
// codec.test.ts hold the two against each other.

const TWO_32 = 4_294_967_296;

/** Writes protobuf fields into a buffer that grows and is used again. */
export class WireWriter {
  buffer: Buffer = Buffer.allocUnsafeSlow(4_096);
  position = 0;

  /** Starts over after `reserved` bytes, which are left for a header. */
  reset(reserved: number): void {
    this.position = reserved;
  }

  /** Makes room for so many bytes. */
  ensure(bytes: number): void {
    if (this.position + bytes <= this.buffer.length) return;
    const grown = Buffer.allocUnsafeSlow(
      Math.max(this.buffer.length * 2, this.position + bytes + 1_024),
    );
    this.buffer.copy(grown, 0, 0, this.position);
    this.buffer = grown;
  }

  /** Writes a number from 0 to 2^53 - 1. */
  varint(value: number): void {
    this.ensure(10);
    const buffer = this.buffer;
    let position = this.position;
    let rest = value;
    while (rest >= TWO_32) {
      buffer[position++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    while (rest > 127) {
      buffer[position++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    buffer[position++] = rest;
    this.position = position;
  }

  /**
   * Writes a number field; zero is left out as protobuf does. Times before 1970 are not allowed.
   */
  number(field: number, value: number): void {
    if (value === 0) return;
    if (!Number.isSafeInteger(value) || value < 0) {
      throw new Error(`Field ${field} of a record must be a whole number from 0 on.`);
    }
    this.varint(field << 3);
    this.varint(value);
  }

  /** Writes a field of a double; zero is left out as protobuf does. */
  double(field: number, value: number): void {
    if (value !== 0) this.optionalDouble(field, value);
  }

  /** Writes a field of a double that may be missing: zero is there. */
  optionalDouble(field: number, value: number | undefined): void {
    if (value !== undefined) {
      this.varint((field << 3) | 1);
      this.ensure(8);
      this.position = this.buffer.writeDoubleLE(value, this.position);
    }
  }

  /** Writes a bytes field; an empty one is left out. */
  bytes(field: number, value: Uint8Array): void {
    if (value.length === 0) return;
    this.varint((field << 3) | 2);
    this.varint(value.length);
    this.raw(value);
  }

  /** Writes a string field; an empty one is left out. */
  string(field: number, value: string): void {
    if (value === "") return;
    this.varint((field << 3) | 2);
    if (value.length < 64 && this.#ascii(value)) return;
    const length = Buffer.byteLength(value);
    this.varint(length);
    this.ensure(length);
    this.buffer.write(value, this.position, length, "utf8");
    this.position += length;
  }

  /** Writes a repeated string field: empty ones are there. */
  strings(field: number, values: readonly string[]): void {
    for (const value of values) {
      if (value === "") {
        this.varint((field << 3) | 2);
        this.varint(0);
      } else {
        this.string(field, value);
      }
    }
  }

  /** Writes numbers as one packed field; an empty list is left out. */
  packed(field: number, values: readonly number[]): void {
    if (values.length === 0) return;
    let length = 0;
    for (const value of values) {
      length += varintLength(value);
    }
    this.varint((field << 3) | 2);
    this.varint(length);
    for (const value of values) {
      this.varint(value);
    }
  }

  /** Copies bytes without a tag. */
  raw(value: Uint8Array): void {
    this.ensure(value.length);
    this.buffer.set(value, this.position);
    this.position += value.length;
  }

  /** Writes a bytes field from a text whose characters are bytes; an empty one is left out. */
  binary(field: number, value: string): void {
    if (value !== "") {
      this.varint((field << 3) | 2);
      this.varint(value.length);
      this.latin1(value);
    }
  }

  /** Copies a text whose characters are bytes, without a tag. */
  latin1(value: string): void {
    this.ensure(value.length);
    for (let i = 0; i < value.length; i++) {
      this.buffer[this.position++] = value.charCodeAt(i);
    }
  }

  #ascii(value: string): boolean {
    this.ensure(value.length + 1);
    const buffer = this.buffer;
    const start = this.position + 1;
    for (let i = 0; i < value.length; i++) {
      const code = value.charCodeAt(i);
      if (code > 127) return false;
      buffer[start + i] = code;
    }
    buffer[this.position] = value.length;
    this.position = start + value.length;
    return true;
  }
}

/** Bytes of an encoded number. */
export function varintLength(value: number): number {
  let length = 1;
  let rest = value;
  while (rest >= 128) {
    rest = Math.floor(rest / 128);
    length++;
  }
  return length;
}

/** Reads protobuf fields; throws an Error when the bytes are not well formed. */
export class WireReader {
  readonly #buffer: Uint8Array;
  readonly #end: number;
  #position: number;

  constructor(buffer: Uint8Array, start = 0, end = buffer.length) {
    this.#buffer = buffer;
    this.#position = start;
    this.#end = end;
  }

  /** The next tag, or 0 at the end. */
  tag(): number {
    return this.#position >= this.#end ? 0 : this.varint();
  }

  varint(): number {
    let result = 0;
    let scale = 1;
    for (;;) {
      if (this.#position >= this.#end) throw new Error("A record ends in the middle of a number.");
      const byte = this.#buffer[this.#position++] ?? 0;
      result += (byte & 127) * scale;
      if (byte < 128) break;
      scale *= 128;
    }
    if (result > Number.MAX_SAFE_INTEGER) throw new Error("A number of a record is too large.");
    return result;
  }

  double(): number {
    if (this.#position + 8 > this.#end) throw new Error("A record ends in the middle of a number.");
    const { buffer, byteOffset } = this.#buffer;
    this.#position += 8;
    return new DataView(buffer, byteOffset).getFloat64(this.#position - 8, true);
  }

  /** A view of the next bytes field. */
  bytes(): Uint8Array {
    const length = this.varint();
    const start = this.#position;
    if (start + length > this.#end) throw new Error("A record ends in the middle of a field.");
    this.#position = start + length;
    return this.#buffer.subarray(start, this.#position);
  }

  string(): string {
    const bytes = this.bytes();
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8");
  }

  packed(): number[] {
    const length = this.varint();
    const stop = this.#position + length;
    if (stop > this.#end) throw new Error("A record ends in the middle of a list.");
    const values: number[] = [];
    while (this.#position < stop) {
      values.push(this.varint());
    }
    return values;
  }

  /** Fails: the format version does not know this field. */
  unknown(tag: number): never {
    throw new Error(`A record has an unknown field ${tag >>> 3}.`);
  }
}
