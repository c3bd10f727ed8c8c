// Names a request by what it says, so that a repeat is told from another request under the same
// request id, and a page token from one of another query.
//
// The digest is taken of the bytes, not of decoded objects. Only the order of map entries, which
// programs are free to change from one call to the next, is taken out: entries are sorted first, in
// labels as in free-form data. Everything else must be the same byte for byte.

import { hash } from "node:crypto";
import type { WireSchema } from "./wire.ts";

const BYTES_WIRE_TYPE = 2;
const DIGEST_BYTES = 16;

/**
 * Names one page of a request that changes something: a digest is the same for all pages, but an
 * answer is remembered for one.
 */
export function digestOfPage(digest: string, pageToken: string): string {
  if (pageToken === "") return digest;
  return digestOf(Buffer.concat([Buffer.from(digest, "latin1"), Buffer.from(pageToken)]));
}

/** The first 16 bytes of a hash as text, which Node makes three times as fast as a buffer. */
function digestOf(bytes: Uint8Array): string {
  return hash("sha256", bytes, "binary").slice(0, DIGEST_BYTES);
}

interface Field {
  readonly isMap: boolean;
  readonly bytes: Uint8Array;
}

let position = 0;

function readVarint(bytes: Uint8Array): number {
  let value = 0;
  let scale = 1;
  for (;;) {
    const byte = bytes[position++] ?? 0;
    value += (byte & 0x7f) * scale;
    scale *= 0x80;
    if (byte < 0x80) return value;
  }
}

/** Moves over a value and gives where its content starts. */
function skipValue(bytes: Uint8Array, wireType: number): number {
  let start = position;
  if (wireType === 0) readVarint(bytes);
  else if (wireType === 1) position += 8;
  else if (wireType === 5) position += 4;
  else {
    const length = readVarint(bytes);
    start = position;
    position += length;
  }
  return start;
}

/** Reads the fields of a message, each with its tag; messages inside are put in order. */
function readFields(
  bytes: Uint8Array,
  schema: WireSchema,
  leftOut: ReadonlySet<number> | undefined,
): Field[] {
  const fields: Field[] = [];
  let at = 0;
  while (at < bytes.length) {
    position = at;
    const tag = readVarint(bytes);
    const contentAt = skipValue(bytes, tag & 7);
    const end = position;
    const known = schema.fields[tag >>> 3];
    if (leftOut?.has(tag >>> 3) !== true) {
      const isMap = known?.isMap === true;
      if (known?.message === undefined || (tag & 7) !== BYTES_WIRE_TYPE) {
        fields.push({ isMap, bytes: bytes.subarray(at, end) });
      } else {
        // Putting entries in order changes no length: the tag and the length stay as they are.
        const content = inOrder(bytes.subarray(contentAt, end), known.message, undefined);
        fields.push({ isMap, bytes: Buffer.concat([bytes.subarray(at, contentAt), content]) });
      }
    }
    at = end;
  }
  return fields;
}

function inOrder(
  bytes: Uint8Array,
  schema: WireSchema,
  leftOut: ReadonlySet<number> | undefined,
): Uint8Array {
  const fields = readFields(bytes, schema, leftOut);
  const entries = fields.filter((field) => field.isMap);
  if (entries.length < 2) return Buffer.concat(fields.map((field) => field.bytes));
  entries.sort((a, b) => Buffer.compare(a.bytes, b.bytes));
  const others = fields.filter((field) => !field.isMap);
  return Buffer.concat([...others, ...entries].map((field) => field.bytes));
}

/** The bytes of a message without some of its fields. */
function withoutFields(bytes: Uint8Array, leftOut: ReadonlySet<number>): Uint8Array[] {
  const kept: Uint8Array[] = [];
  let from = 0;
  let at = 0;
  while (at < bytes.length) {
    position = at;
    const tag = readVarint(bytes);
    skipValue(bytes, tag & 7);
    if (leftOut.has(tag >>> 3)) {
      if (at > from) kept.push(bytes.subarray(from, at));
      from = position;
    }
    at = position;
  }
  if (at > from) kept.push(bytes.subarray(from, at));
  return kept;
}

/** Input of a digest. The bytes must have passed checkWire. */
export interface DigestInput {
  /** The method, so that equal bytes of two methods differ. */
  readonly method: string;
  readonly bytes: Uint8Array;
  readonly hasMaps: boolean;
  readonly schema: WireSchema;
  /** The numbers of the fields that do not count. */
  readonly leftOut: ReadonlySet<number>;
}

/** Gives 16 characters that are bytes, the same for two requests that say the same. */
export function digestRequest(input: DigestInput): string {
  const { bytes, leftOut } = input;
  const content = input.hasMaps
    ? [inOrder(bytes, input.schema, leftOut)]
    : withoutFields(bytes, leftOut);
  return digestOf(Buffer.concat([Buffer.from(`${input.method}\0`), ...content]));
}
