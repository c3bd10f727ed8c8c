// Writes the parts of an index to a file, and reads them back. The form is told in frames.ts: what
// is here is the content of the frames. The first frame is a header of the caller.
//
// Both take their time in pieces, so that the thread answers in between.

import { type FileHandle, open } from "node:fs/promises";
import type { SavedNumbers, SavedPart, SavedReader } from "../rules/saved.ts";
import { DamagedFile, FrameReader, FrameWriter } from "./frames.ts";

/** The first byte of a part. */
const TAG = { number: 1, bytes: 2, shorts: 3, words: 4, doubles: 5, texts: 6, pieces: 7 } as const;
type Tag = (typeof TAG)[keyof typeof TAG];

/** Bytes that are copied and checked in one go. */
const STEP_BYTES = 262_144;
const TEXTS_AT_ONCE = 512;
/** Marks the length of a text that UTF-8 cannot hold: it is written as JSON. */
const AS_JSON = 0x8000_0000;
/** After so many bytes a throttled write rests. */
const REST_BYTES = 4_194_304;

/** The frame of a write. */
export interface WriteOptions {
  readonly header: string;
  /** Throws when the parts are no longer what they were. */
  readonly check: () => void;
  /** Waits after every 4 MiB. Default: not. */
  readonly rest?: () => Promise<void>;
}

/** Writes a new file, which only its owner may read, down to the disk. Gives its size. */
export async function writeParts(
  path: string,
  parts: Iterable<SavedPart>,
  options: WriteOptions,
): Promise<number> {
  const handle = await open(path, "wx", 0o600);
  try {
    const writer = new FrameWriter(handle);
    writer.put(Buffer.from(options.header));
    writer.seal();
    const drain = throttled(writer, options);
    for (const part of parts) await writePart(writer, part, drain);
    await writer.end();
    await handle.sync();
    options.check();
    return writer.bytes;
  } finally {
    await handle.close();
  }
}

/** Writes what is full, and rests from time to time. */
function throttled(writer: FrameWriter, { check, rest }: WriteOptions): () => Promise<void> {
  let rested = 0;
  return async () => {
    await writer.drain();
    if (rest !== undefined && writer.bytes - rested >= REST_BYTES) {
      rested = writer.bytes;
      await rest();
    }
    check();
  };
}

async function writePart(
  writer: FrameWriter,
  part: SavedPart,
  drain: () => Promise<void>,
): Promise<void> {
  if (typeof part === "number") {
    writer.put(head(TAG.number, 0));
    writer.put(bytesOf(Float64Array.of(part)));
  } else if ("pieces" in part) {
    writer.put(head(TAG.pieces, 0));
    for (const piece of part.pieces) {
      writer.put(bytesOf(Uint32Array.of(piece.length)));
      writer.put(piece);
      await drain();
    }
    writer.put(bytesOf(Uint32Array.of(0)));
  } else if ("texts" in part) {
    writer.put(head(TAG.texts, 0));
    for (const batch of batchesOf(part.texts)) {
      writer.put(batch);
      await drain();
    }
    writer.put(bytesOf(Uint32Array.of(0)));
  } else {
    writer.put(head(tagOf(part), part.length));
    const bytes = bytesOf(part);
    for (let at = 0; at < bytes.length; at += STEP_BYTES) {
      writer.put(bytes.subarray(at, at + STEP_BYTES));
      await drain();
    }
  }
  await drain();
}

function head(tag: Tag, count: number): Buffer {
  const bytes = Buffer.alloc(5);
  bytes.writeUInt8(tag, 0);
  bytes.writeUInt32LE(count, 1);
  return bytes;
}

function bytesOf(numbers: SavedNumbers): Uint8Array {
  return new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}

function tagOf(numbers: SavedNumbers): Tag {
  if (numbers instanceof Uint8Array) return TAG.bytes;
  if (numbers instanceof Uint16Array) return TAG.shorts;
  return numbers instanceof Uint32Array ? TAG.words : TAG.doubles;
}

/** Texts as they are written: how many, their lengths, and their bytes. */
function* batchesOf(texts: Iterable<string>): Generator<Uint8Array> {
  let lengths: number[] = [];
  let bytes: Buffer[] = [];
  const batch = (): Uint8Array => {
    const sizes = bytesOf(Uint32Array.of(lengths.length, ...lengths));
    const all = Buffer.concat([sizes, ...bytes]);
    lengths = [];
    bytes = [];
    return all;
  };
  for (const text of texts) {
    const isPlain = text.isWellFormed();
    const own = Buffer.from(isPlain ? text : JSON.stringify(text));
    lengths.push(isPlain ? own.length : own.length + AS_JSON);
    bytes.push(own);
    if (lengths.length === TEXTS_AT_ONCE) yield batch();
  }
  if (lengths.length > 0) yield batch();
}

/** Reads the header of a file. Throws DamagedFile, or the error of the system. */
export async function readHeader(path: string): Promise<string> {
  return await reading(path, async (frames) => (await frames.frame()).toString());
}

/**
 * Reads the parts of a file. Throws DamagedFile when it is not as it was written; what was read
 * until then is worth nothing.
 */
export async function readParts<T>(
  path: string,
  load: (read: SavedReader) => Promise<T>,
): Promise<T> {
  return await reading(path, async (frames, size) => {
    await frames.frame();
    const loaded = await load(new PartReader(frames, size));
    await frames.end();
    return loaded;
  });
}

async function reading<T>(
  path: string,
  read: (frames: FrameReader, size: number) => Promise<T>,
): Promise<T> {
  const handle: FileHandle = await open(path, "r");
  try {
    const frames = new FrameReader(handle);
    await frames.begin();
    return await read(frames, (await handle.stat()).size);
  } finally {
    await handle.close();
  }
}

class PartReader implements SavedReader {
  readonly #frames: FrameReader;
  readonly #size: number;

  constructor(frames: FrameReader, size: number) {
    this.#frames = frames;
    this.#size = size;
  }

  async number(): Promise<number> {
    await this.#head(TAG.number);
    const value = new Float64Array(1);
    await this.#fill(value);
    return value[0] ?? 0;
  }

  async numbers(): Promise<SavedNumbers> {
    const { tag, count } = await this.#head();
    const numbers = this.#newNumbers(tag, count);
    await this.#fill(numbers);
    return numbers;
  }

  async bytes(): Promise<Uint8Array> {
    const found = await this.numbers();
    if (found instanceof Uint8Array) return found;
    throw new DamagedFile();
  }

  async shorts(): Promise<Uint16Array> {
    const found = await this.numbers();
    if (found instanceof Uint16Array) return found;
    throw new DamagedFile();
  }

  async words(): Promise<Uint32Array<ArrayBuffer>> {
    return await this.#words((await this.#head(TAG.words)).count);
  }

  async doubles(): Promise<Float64Array> {
    const found = await this.numbers();
    if (found instanceof Float64Array) return found;
    throw new DamagedFile();
  }

  async texts(take: (text: string) => void): Promise<void> {
    await this.#head(TAG.texts);
    for (let count = await this.#count(); count > 0; count = await this.#count()) {
      const lengths = await this.#words(count);
      const sum = lengths.reduce((all, length) => all + (length % AS_JSON), 0);
      const bytes = Buffer.allocUnsafe(this.#checked(sum));
      await this.#frames.fill(bytes);
      let at = 0;
      for (const length of lengths) {
        const end = at + (length % AS_JSON);
        const text = bytes.toString("utf8", at, end);
        take(length < AS_JSON ? text : (JSON.parse(text) as string));
        at = end;
      }
    }
  }

  async pieces(take: (piece: Uint8Array) => void): Promise<void> {
    await this.#head(TAG.pieces);
    for (let count = await this.#count(); count > 0; count = await this.#count()) {
      const piece = new Uint8Array(this.#checked(count));
      await this.#frames.fill(piece);
      take(piece);
    }
  }

  async #head(wanted?: Tag): Promise<{ tag: number; count: number }> {
    const bytes = Buffer.alloc(5);
    await this.#frames.fill(bytes);
    const tag = bytes.readUInt8(0);
    if (wanted !== undefined && tag !== wanted) throw new DamagedFile();
    return { tag, count: bytes.readUInt32LE(1) };
  }

  async #count(): Promise<number> {
    return (await this.#words(1))[0] ?? 0;
  }

  async #words(count: number): Promise<Uint32Array<ArrayBuffer>> {
    const words = new Uint32Array(this.#checked(count * 4) / 4);
    await this.#fill(words);
    return words;
  }

  async #fill(numbers: SavedNumbers): Promise<void> {
    await this.#frames.fill(bytesOf(numbers));
  }

  #newNumbers(tag: number, count: number): SavedNumbers {
    if (tag === TAG.bytes) return new Uint8Array(this.#checked(count));
    if (tag === TAG.shorts) return new Uint16Array(this.#checked(count * 2) / 2);
    if (tag === TAG.words) return new Uint32Array(this.#checked(count * 4) / 4);
    if (tag === TAG.doubles) return new Float64Array(this.#checked(count * 8) / 8);
    throw new DamagedFile();
  }

  /** No part is larger than the file. */
  #checked(bytes: number): number {
    if (bytes > this.#size) throw new DamagedFile();
    return bytes;
  }
}
