// The declaration of a stored table: the parts of its keys, its records, and the log that its rows
// go with. Reading, writing, erasing and verify follow from it. The tables themselves are declared
// in store/tables.
//
// A key begins with one byte for its table; the parts follow. Numbers are u64 big endian, so that
// keys are in the order of their numbers. Records have the envelope of envelope.ts.

import { ENVELOPE_BYTES, indexSlab, sealIndex, writeEnvelope } from "./envelope.ts";
import { readSized, readText, readU64, sized, textPart, u64 } from "./keys.ts";
import type { Visibility } from "./memtable.ts";
import { decodeRecord, type Index, readIndex } from "./reads.ts";
import { WireReader, WireWriter } from "./wire.ts";

/** A part of a key. `read` gives the value at a place, and where the next part begins. */
export interface KeyPart<T> {
  readonly write: (value: T) => string;
  readonly read: (key: string, start: number) => { readonly value: T; readonly end: number };
}

export const aNumber: KeyPart<number> = {
  write: u64,
  read: (key, start) => ({ value: readU64(key, start), end: start + 8 }),
};

/** A text behind its length. */
export const aText: KeyPart<string> = {
  write: sized,
  read: (key, start) => {
    const { text, end } = readSized(key, start);
    return { value: text, end };
  },
};

/** A text that is the rest of its key. */
export const lastText: KeyPart<string> = {
  write: textPart,
  read: (key, start) => ({ value: readText(key.slice(start)), end: key.length }),
};

/**
 * A path of segments divided by `/`, none of which holds a zero byte, as the rest of its key: paths
 * are in the order of their segments, each directly before those below it.
 */
export const lastPath: KeyPart<string> = {
  write: (path) => textPart(path).replaceAll("/", "\0"),
  read: (key, start) => ({
    value: readText(key.slice(start).replaceAll("\0", "/")),
    end: key.length,
  }),
};

/** A text without a zero byte, in front of one: such texts are in the order of their bytes. */
export const endedText: KeyPart<string> = {
  write: (text) => `${textPart(text)}\0`,
  read: (key, start) => {
    const zero = key.indexOf("\0", start);
    const end = zero === -1 ? key.length : zero;
    return { value: readText(key.slice(start, end)), end: end + 1 };
  },
};

/** Characters that are bytes. */
export function someBytes(length: number): KeyPart<string> {
  return {
    write: (bytes) => bytes,
    read: (key, start) => ({ value: key.slice(start, start + length), end: start + length }),
  };
}

export const aByte: KeyPart<number> = {
  write: (value) => String.fromCharCode(value),
  read: (key, start) => ({ value: key.charCodeAt(start), end: start + 1 }),
};

/** Codec of records. `encode` gives a sealed record. */
export interface Codec<R> {
  readonly encode: (key: string, record: R) => Buffer;
  readonly decode: (payload: Uint8Array) => R;
}

const NO_BYTES = new Uint8Array(0);

/** A record whose key says everything. */
export const NOTHING: Codec<true> = {
  encode: (key) => sealIndex(key, NO_BYTES),
  decode: () => true,
};

/** A number as the whole record. */
export const ONE_NUMBER: Codec<number> = {
  encode: (key, value) => sealIndex(key, Buffer.from(u64(value), "latin1")),
  decode: (payload) => {
    if (payload.length !== 8) throw new Error("A number has the wrong length.");
    return payload.reduce((value, byte) => value * 256 + byte, 0);
  },
};

/** A text as the whole record. */
export const ONE_TEXT: Codec<string> = {
  encode: (key, text) => sealIndex(key, Buffer.from(text, "utf8")),
  decode: (payload) =>
    Buffer.from(payload.buffer, payload.byteOffset, payload.length).toString("utf8"),
};

/** A field of a record, with its number and wire type. Fields with their empty value are absent. */
export interface Field<T> {
  readonly no: number;
  readonly wire: number;
  readonly empty: T;
  readonly write: (writer: WireWriter, no: number, value: T) => void;
  readonly read: (reader: WireReader) => T;
}

export const field = {
  number: (no: number): Field<number> => ({
    no,
    wire: 0,
    empty: 0,
    write: (writer, at, value) => writer.number(at, value),
    read: (reader) => reader.varint(),
  }),
  double: (no: number): Field<number> => ({
    no,
    wire: 1,
    empty: 0,
    write: (writer, at, value) => writer.double(at, value),
    read: (reader) => reader.double(),
  }),
  text: (no: number): Field<string> => ({
    no,
    wire: 2,
    empty: "",
    write: (writer, at, value) => writer.string(at, value),
    read: (reader) => reader.string(),
  }),
  bytes: (no: number): Field<Uint8Array> => ({
    no,
    wire: 2,
    empty: NO_BYTES,
    write: (writer, at, value) => writer.bytes(at, value),
    read: (reader) => reader.bytes(),
  }),
  texts: (no: number): Field<readonly string[]> => ({
    no,
    wire: 2,
    empty: [],
    write: (writer, at, value) => {
      if (value.length > 0) writer.string(at, JSON.stringify(value));
    },
    read: (reader) => JSON.parse(reader.string()) as readonly string[],
  }),
  /** A text whose characters are bytes. */
  binary: (no: number): Field<string> => ({
    no,
    wire: 2,
    empty: "",
    write: (writer, at, value) => writer.binary(at, value),
    read: (reader) => Buffer.from(reader.bytes()).toString("latin1"),
  }),
  numbers: (no: number): Field<readonly number[]> => ({
    no,
    wire: 2,
    empty: [],
    write: (writer, at, value) => writer.packed(at, value),
    read: (reader) => reader.packed(),
  }),
};

type Fields<R> = { readonly [N in keyof R]-?: Field<R[N]> };

const writer = new WireWriter();

/** The writer for a record, with room for its envelope or for `reserved` bytes. */
export function startRecord(reserved = ENVELOPE_BYTES): WireWriter {
  writer.reset(reserved);
  return writer;
}

/** The record in the writer, sealed. */
export function finish(key: string, slab = indexSlab): Buffer {
  writeEnvelope(key, writer.buffer, writer.position);
  const record = slab.take(writer.position);
  writer.buffer.copy(record, 0, 0, writer.position);
  return record;
}

/** A record of fields, which are given in the order of their numbers. */
export function record<R extends object>(
  fields: Fields<R>,
): Codec<R> & { readonly write: (row: R) => void } {
  const named = Object.entries(fields) as [keyof R, Field<unknown>][];
  const byTag = new Map(named.map(([name, of]) => [(of.no << 3) | of.wire, { name, of }]));
  const empty = Object.fromEntries(named.map(([name, of]) => [name, of.empty])) as R;
  const write = (row: R): void => {
    for (const [name, of] of named) {
      of.write(writer, of.no, row[name]);
    }
  };
  return {
    write,
    encode: (key, row) => {
      startRecord();
      write(row);
      return finish(key);
    },
    decode: (payload) => {
      const row = { ...empty };
      const reader = new WireReader(payload);
      for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
        const found = byTag.get(tag);
        if (found === undefined) return reader.unknown(tag);
        row[found.name] = found.of.read(reader) as R[keyof R];
      }
      return row;
    },
  };
}

/** A record without an envelope, as bodies are that stand among the messages. */
export function bodyBytes<R>(codec: { readonly write: (row: R) => void }, row: R): Uint8Array {
  startRecord(0);
  codec.write(row);
  return bodyInWriter();
}

/** The bytes written since `startRecord(0)`. */
export function bodyInWriter(): Uint8Array {
  return new Uint8Array(writer.buffer.subarray(0, writer.position));
}

/** A record that is another one in the store. */
export function mapped<R, S>(
  codec: Codec<S>,
  store: (record: R) => S,
  load: (stored: S) => R,
): Codec<R> {
  return {
    encode: (key, value) => codec.encode(key, store(value)),
    decode: (payload) => load(codec.decode(payload)),
  };
}

/**
 * The part of a key that names its bucket in the memtable. A range read goes over one bucket; a
 * table without buckets is only read by key.
 */
export const bucket = {
  table: (key: string) => key.slice(0, 1),
  firstNumber: (key: string) => key.slice(0, 9),
  firstText: (key: string) => key.slice(0, 3 + key.charCodeAt(1) * 256 + key.charCodeAt(2)),
  allButLast: (key: string) => key.slice(0, -8),
  allButTwo: (key: string) => key.slice(0, -16),
};

/**
 * The act that takes the content of a subject out of the rows of a table: the removal of the
 * session, log, document, memory or record that they go with, or an erasure itself. `nothing`: rows
 * hold no content of a subject, only numbers and names that operators and callers gave to shared
 * things.
 */
export type ErasedWith = "session" | "log" | "memory" | "record" | "erasure" | "nothing";

/** The place of rows under a log number, which says with what they are erased. */
type Erased =
  | {
      /**
       * Its rows stand under a log number: that of a log or a collection, with which upkeep erases
       * them, or that of the memories of a namespace, which stays. Verify looks for rows without.
       */
      readonly under: "log" | "memories";
      readonly erasedWith?: never;
    }
  | { readonly under?: never; readonly erasedWith: ErasedWith };

/** The records of a table, and where they belong. */
export type TableOptions<K, R> = Erased & {
  readonly record: Codec<R>;
  readonly bucket?: (key: string) => string;
  /** The number of the body among the messages that a record names; 0 for none. */
  readonly bodyNo?: (record: R) => number;
  /** The key of the row elsewhere that is erased with a row under a log number, if there is one. */
  readonly companion?: (parts: K, record: R) => string | undefined;
};

type KeyParts<K> = { readonly [P in keyof K]: KeyPart<K[P]> };

/** A table whatever its keys and records are. */
export type AnyTable = Pick<
  Table<readonly unknown[], unknown>,
  | "id"
  | "name"
  | "isNumbered"
  | "bucket"
  | "under"
  | "erasedWith"
  | "bodyNo"
  | "companion"
  | "decode"
>;

export class Table<K extends readonly unknown[], R> {
  /** The start of every key: one byte. */
  readonly id: string;
  /** Names a record in messages. */
  readonly name: string;
  /** Its keys begin with a number. */
  readonly isNumbered: boolean;
  readonly bucket: ((key: string) => string) | undefined;
  readonly under: "log" | "memories" | undefined;
  /** The number of the body among the messages that a record names; 0 for none. */
  readonly bodyNo: ((payload: Uint8Array) => number) | undefined;
  /** The key of the row elsewhere that is erased with a row, if there is one. */
  readonly companion: ((key: string, payload: Uint8Array) => string | undefined) | undefined;
  readonly key: (...parts: K) => string;
  readonly encode: (key: string, record: R) => Buffer;
  readonly decode: (payload: Uint8Array) => R;
  readonly erasedWith: ErasedWith;
  readonly #parts: readonly KeyPart<unknown>[];

  constructor(
    id: number,
    name: string,
    parts: KeyParts<K>,
    { record, bucket, under, erasedWith, bodyNo, companion }: TableOptions<K, R>,
  ) {
    this.id = String.fromCharCode(id);
    this.bucket = bucket;
    this.under = under;
    this.erasedWith = erasedWith ?? (under === "log" ? "log" : "memory");
    this.bodyNo = bodyNo && ((payload) => bodyNo(record.decode(payload)));
    this.companion =
      companion && ((key, payload) => companion(this.parts(key), record.decode(payload)));
    this.encode = record.encode;
    this.decode = record.decode;
    this.name = name;
    this.#parts = parts as unknown as readonly KeyPart<unknown>[];
    this.isNumbered = this.#parts[0] === aNumber;
    this.key = keyOf(this.id, this.#parts) as unknown as (...parts: K) => string;
  }

  /** The start of the keys with these first parts. */
  prefix(...first: Partial<K>): string {
    let key = this.id;
    for (const [at, part] of first.entries()) {
      key += this.#parts[at]?.write(part) ?? "";
    }
    return key;
  }

  /** The parts of a key. */
  parts(key: string): K {
    let start = 1;
    const values = this.#parts.map((part) => {
      const { value, end } = part.read(key, start);
      start = end;
      return value;
    });
    return values as unknown as K;
  }

  /** Reads a record; undefined when there is none. */
  get(core: Index, key: string, visibility: Visibility): R | undefined {
    return readIndex(core, key, visibility, this.decode);
  }

  /** Whether there is a record. */
  has(core: Index, key: string, visibility: Visibility): boolean {
    return readIndex(core, key, visibility, () => true) === true;
  }

  /** Writes a record in the group being formed. */
  put(core: Pick<Index, "memtable">, key: string, record: R): void {
    core.memtable.set(key, this.encode(key, record));
  }

  /** The record of a row that a range read gave. */
  of(payload: Uint8Array): R {
    return decodeRecord(this.name, payload, this.decode);
  }
}

// A function of as many parts as the table has: a list of them would be made for each key.
function keyOf(id: string, parts: readonly KeyPart<unknown>[]): (...parts: never[]) => string {
  const [a, b, c, d] = parts.map(({ write }) => write);
  if (a === undefined) return () => id;
  if (b === undefined) return (one: unknown) => id + a(one);
  if (c === undefined) return (one: unknown, two: unknown) => id + a(one) + b(two);
  if (d === undefined) {
    return (one: unknown, two: unknown, three: unknown) => id + a(one) + b(two) + c(three);
  }
  if (parts.length === 4) {
    return (one: unknown, two: unknown, three: unknown, four: unknown) =>
      id + a(one) + b(two) + c(three) + d(four);
  }
  return (...all: unknown[]) => all.reduce<string>((key, of, at) => key + parts[at]?.write(of), id);
}

/**
 * Declares a table of the index.
 *
 * @param id - The first byte of its keys.
 * @param name - Names a record in messages.
 */
export function defineTable<K extends readonly unknown[] | [], R>(
  id: number,
  name: string,
  parts: KeyParts<K>,
  options: TableOptions<K, R>,
): Table<K, R> {
  return new Table(id, name, parts, options);
}
