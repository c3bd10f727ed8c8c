// Puts wire forms together without decoding them: a field of message type is its tag, the length
// and the bytes of the message.

import { publicMessage } from "../kit/token-quarters.ts";

/** Bytes that stock clients take in one response. */
export const RESPONSE_BYTES_MAX = 4_194_304;

function varintBytes(value: number): number {
  let count = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) count++;
  return count;
}

function writeVarint(into: Uint8Array, at: number, value: number): number {
  let position = at;
  let rest = value;
  while (rest >= 0x80) {
    into[position++] = (rest & 0x7f) | 0x80;
    rest = Math.floor(rest / 0x80);
  }
  into[position++] = rest;
  return position;
}

/** The wire forms of the messages that one field holds. */
export interface SplicedField {
  readonly field: number;
  readonly items: readonly Uint8Array[];
}

/**
 * Makes the wire form of a message: each of the fields with the wire forms given, in order, then
 * the bytes of its other fields.
 */
export function spliceFields(fields: readonly SplicedField[], rest: Uint8Array): Buffer {
  let size = rest.length;
  for (const { field, items } of fields) {
    const tagBytes = varintBytes(field * 8 + 2);
    for (const item of items) size += tagBytes + varintBytes(item.length) + item.length;
  }
  const out = Buffer.allocUnsafe(size);
  let position = 0;
  for (const { field, items } of fields) {
    for (const item of items) {
      position = writeVarint(out, position, field * 8 + 2);
      position = writeVarint(out, position, item.length);
      out.set(item, position);
      position += item.length;
    }
  }
  out.set(rest, position);
  return out;
}

/**
 * Makes the wire form of a message: one field with each of the wire forms given, in order, then the
 * bytes of its other fields.
 */
export function spliceField(
  fieldNumber: number,
  items: readonly Uint8Array[],
  rest: Uint8Array,
): Buffer {
  return spliceFields([{ field: fieldNumber, items }], rest);
}

/** As spliceField, with the public forms of stored messages. */
export function spliceMessages(
  fieldNumber: number,
  stored: readonly Uint8Array[],
  rest: Uint8Array,
): Buffer {
  return spliceField(fieldNumber, stored.map(publicMessage), rest);
}
