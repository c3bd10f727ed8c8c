// Events, the revisions that lead to them, their consumers, and the answers remembered under
// request ids.

import type { EventType } from "../../events/rules/event.ts";
import { logSlab } from "../engine/envelope.ts";
import { readU64, u16, u64 } from "../engine/keys.ts";
import {
  aNumber,
  aText,
  bucket,
  defineTable,
  field,
  finish,
  lastText,
  mapped,
  ONE_NUMBER,
  record,
  startRecord,
} from "../engine/table.ts";
import { WireReader } from "../engine/wire.ts";
import type { Consumer, NewEvent, StoredReply, StreamPositions } from "../store.ts";

/**
 * The key of an event: commit number, then index * 2, plus 1 for the last event of the commit. So a
 * lost event at the end of a commit is noticed like one in the middle.
 */
export function eventKey(commitNo: number, index: number, isLast: boolean): string {
  return u64(commitNo) + u16(index * 2 + (isLast ? 1 : 0));
}

/** The parts of the key of an event. */
export function readEventKey(key: string): { commitNo: number; index: number; isLast: boolean } {
  const mark = key.charCodeAt(8) * 256 + key.charCodeAt(9);
  return { commitNo: readU64(key, 0), index: mark >>> 1, isLast: (mark & 1) === 1 };
}

/** The number of events that one revision can have. */
export const REVISION_EVENTS_MAX = 32_768;

/** An event as it is kept. Up to format 2 its revision is the commit number of its key. */
export type EventRecord = NewEvent & { readonly revision: number | undefined };

export function encodeEvent(key: string, revision: number, event: NewEvent): Buffer {
  const writer = startRecord();
  writer.bytes(1, event.body);
  writer.number(2, event.type);
  writer.string(3, event.namespace);
  writer.string(4, event.sessionId);
  writer.string(5, event.userId);
  writer.number(6, event.createMs);
  writer.number(7, revision);
  return finish(key, logSlab);
}

export function decodeEvent(payload: Uint8Array): EventRecord {
  const reader = new WireReader(payload);
  let body: Uint8Array = new Uint8Array(0);
  let type = 0;
  let namespace = "";
  let sessionId = "";
  let userId = "";
  let createMs = 0;
  let revision: number | undefined;
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === 10) {
      body = reader.bytes();
    } else if (tag === 16) {
      type = reader.varint();
    } else if (tag === 26) {
      namespace = reader.string();
    } else if (tag === 34) {
      sessionId = reader.string();
    } else if (tag === 42) {
      userId = reader.string();
    } else if (tag === 48) {
      createMs = reader.varint();
    } else if (tag === 56) {
      revision = reader.varint();
    } else {
      reader.unknown(tag);
    }
  }
  return { body, type: type as EventType, namespace, sessionId, userId, createMs, revision };
}

export const REPLY = defineTable(0x0c, "reply", [aText, lastText], {
  erasedWith: "erasure",
  record: mapped(
    record({
      method: field.text(1),
      digest: field.binary(2),
      bytes: field.bytes(3),
      createMs: field.number(4),
      about: field.texts(5),
      // 0 in answers of before there were marks.
      marked: field.number(6),
      erased: field.number(7),
    }),
    ({ about, isErased, ...reply }: StoredReply) => ({
      ...reply,
      about: about ?? [],
      marked: about === undefined ? 0 : 1,
      erased: isErased === true ? 1 : 0,
    }),
    ({ about, marked, erased, ...reply }): StoredReply => ({
      ...reply,
      ...(marked === 1 ? { about } : {}),
      ...(erased === 1 ? { isErased: true } : {}),
    }),
  ),
  bucket: bucket.table,
});

// The request ids of our clients begin with their time in ms, as 12 hexadecimal digits. Ids of the
// same five hours share the first six.
const SHARED_BYTES = 6;

/** The namespace of a key of REPLY, and the first bytes of its id. */
export function startOfReply(key: string): string {
  return key.slice(0, bucket.firstText(key).length + SHARED_BYTES);
}

const consumer = mapped(
  record({
    revision: field.number(1),
    index: field.number(2),
    createMs: field.number(3),
    updateMs: field.number(4),
    historyId: field.text(5),
  }),
  ({ position, createMs, updateMs, historyId = "" }: Omit<Consumer, "consumerId">) => ({
    revision: position.revision,
    index: position.index,
    createMs,
    updateMs,
    historyId,
  }),
  ({ revision, index, createMs, updateMs, historyId }) => ({
    position: { revision, index },
    createMs,
    updateMs,
    ...(historyId === "" ? {} : { historyId }),
  }),
);

export const CONSUMER = defineTable(0x0d, "consumer", [aText, lastText], {
  erasedWith: "nothing",
  record: consumer,
  bucket: bucket.firstText,
});

/** The newest event that was dropped, by commit number. One record. */
export const DROPPED = defineTable(0x10, "dropped events", [], {
  erasedWith: "nothing",
  record: consumer,
});

// Every change reads and writes one, so that these are by hand, too.
function encodeNamespace(key: string, { newest, oldest }: StreamPositions): Buffer {
  const writer = startRecord();
  writer.number(1, newest.revision);
  writer.number(2, newest.index);
  writer.number(3, oldest.revision);
  writer.number(4, oldest.index);
  return finish(key);
}

function decodeNamespace(payload: Uint8Array): StreamPositions {
  const reader = new WireReader(payload);
  const values = [0, 0, 0, 0, 0];
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if ((tag & 7) !== 0 || tag >>> 3 > 4) reader.unknown(tag);
    values[tag >>> 3] = reader.varint();
  }
  const [, revision = 0, index = 0, oldestRevision = 0, oldestIndex = 0] = values;
  return {
    newest: { revision, index },
    oldest: { revision: oldestRevision, index: oldestIndex },
  };
}

/** First and last events of a namespace; of those that changed since format 3. */
export const NAMESPACE = defineTable(0x30, "namespace", [lastText], {
  erasedWith: "nothing",
  record: {
    encode: encodeNamespace,
    decode: decodeNamespace,
  },
  bucket: bucket.table,
});

/** The commit that has the events of a revision; only above the base. */
export const REVISION = defineTable(0x31, "revision", [aText, aNumber], {
  erasedWith: "nothing",
  record: ONE_NUMBER,
  bucket: bucket.allButLast,
});
