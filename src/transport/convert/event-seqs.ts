// Reads which messages a stored event is about, and skips the rest: the index of recall asks it of
// each append, before the caller is answered.

import { BinaryReader } from "@bufbuild/protobuf/wire";
import type { SeqRange } from "../../domain/window/types.ts";

// The fields of Event, of its details and of SeqRange by number, as in event.proto.
const APPENDED = 16;
const UPDATED = 18;
const DELETED = 19;
const SEQS_IN_DETAIL = 2;
const FIRST_SEQ = 1;
const LAST_SEQ = 2;

function readRange(reader: BinaryReader): SeqRange {
  const end = reader.uint32() + reader.pos;
  let first = 0;
  let last = 0;
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag >>> 3 === FIRST_SEQ) first = Number(reader.int64());
    else if (tag >>> 3 === LAST_SEQ) last = Number(reader.int64());
    else reader.skip(tag & 7);
  }
  return { first, last };
}

function readDetail(reader: BinaryReader, isRange: boolean): SeqRange | undefined {
  const end = reader.uint32() + reader.pos;
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag >>> 3 !== SEQS_IN_DETAIL) {
      reader.skip(tag & 7);
      continue;
    }
    if (isRange) return readRange(reader);
    const seq = Number(reader.int64());
    return { first: seq, last: seq };
  }
  return undefined;
}

/** The seqs of the messages that an event appends, changes or deletes; undefined for others. */
export function readEventSeqs(body: Uint8Array): SeqRange | undefined {
  const reader = new BinaryReader(body);
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    const field = tag >>> 3;
    if (field === APPENDED || field === UPDATED || field === DELETED) {
      return readDetail(reader, field === APPENDED);
    }
    reader.skip(tag & 7);
  }
  return undefined;
}
