// The envelope of every record: 1 byte format version, 4 bytes CRC-32 (big endian) over the key and
// the payload, the payload. The key is part of the sum, so that a record that was moved to another
// key counts as damaged as well.

import { crc32 } from "node:zlib";
import { Slab } from "../../kit/bytes.ts";
import { recordCorrupt } from "../../kit/errors.ts";

/** The format version of all records. */
export const RECORD_FORMAT = 1;

/** The bytes before the payload. */
export const ENVELOPE_BYTES = 5;

// Below this the table beats the call into zlib.
const TABLE_BYTES_MAX = 48;

const TABLE = makeTable();

function makeTable(): Uint32Array {
  const table = new Uint32Array(256);
  for (let byte = 0; byte < 256; byte++) {
    let sum = byte;
    for (let bit = 0; bit < 8; bit++) {
      sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
    }
    table[byte] = sum >>> 0;
  }
  return table;
}

/** The CRC-32 of a key whose characters are bytes, followed by a part of a buffer. */
export function checksum(key: string, buffer: Uint8Array, start: number, end: number): number {
  let sum = 0xffffffff;
  for (let i = 0; i < key.length; i++) {
    sum = (sum >>> 8) ^ (TABLE[(sum ^ key.charCodeAt(i)) & 255] ?? 0);
  }
  if (end - start > TABLE_BYTES_MAX) return crc32(buffer.subarray(start, end), ~sum >>> 0);
  for (let i = start; i < end; i++) {
    sum = (sum >>> 8) ^ (TABLE[(sum ^ (buffer[i] ?? 0)) & 255] ?? 0);
  }
  return ~sum >>> 0;
}

/** Fills in the envelope of a record whose payload is in place from byte 5 on. */
export function writeEnvelope(key: string, record: Uint8Array, end = record.length): void {
  const sum = checksum(key, record, ENVELOPE_BYTES, end);
  record[0] = RECORD_FORMAT;
  record[1] = sum >>> 24;
  record[2] = (sum >>> 16) & 255;
  record[3] = (sum >>> 8) & 255;
  record[4] = sum & 255;
}

/** Puts a payload into an envelope. */
export function seal(key: string, payload: Uint8Array): Buffer {
  const record = Buffer.allocUnsafe(ENVELOPE_BYTES + payload.length);
  record.set(payload, ENVELOPE_BYTES);
  writeEnvelope(key, record);
  return record;
}

/**
 * Takes the payload out of an envelope, as a view. Throws RECORD_CORRUPT naming `what` when the
 * version is unknown or the checksum does not match.
 */
export function unseal(key: string, record: Uint8Array, what: string): Uint8Array {
  if (record.length < ENVELOPE_BYTES || record[0] !== RECORD_FORMAT) {
    throw recordCorrupt(`${what}: unknown record format`);
  }
  const found =
    ((record[1] ?? 0) * 0x1000000 +
      (((record[2] ?? 0) << 16) | ((record[3] ?? 0) << 8) | (record[4] ?? 0))) >>>
    0;
  if (found !== checksum(key, record, ENVELOPE_BYTES, record.length)) {
    throw recordCorrupt(`${what}: checksum does not match`);
  }
  return record.subarray(ENVELOPE_BYTES);
}

// Records share slabs, so that a record costs no allocation of its own. Those of the index may stay
// in the memtable for long; those of the logs are done with after their commit: so each kind has
// its own slabs, and none keeps the other's in memory.

/** The room for records of the index. */
export const indexSlab = new Slab(32_768);
/** The room for records of the logs. */
export const logSlab = new Slab(131_072);

function sealInto(slab: Slab, key: string, payload: Uint8Array): Buffer {
  const record = slab.take(ENVELOPE_BYTES + payload.length);
  record.set(payload, ENVELOPE_BYTES);
  writeEnvelope(key, record);
  return record;
}

/** Puts a payload of the index into an envelope. */
export function sealIndex(key: string, payload: Uint8Array): Buffer {
  return sealInto(indexSlab, key, payload);
}

/** Puts a payload of a log into an envelope. */
export function sealLog(key: string, payload: Uint8Array): Buffer {
  return sealInto(logSlab, key, payload);
}
