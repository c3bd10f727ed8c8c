// Vectors of messages, documents and memories. They stand beside the log, under the seq of the
// message or the number of the document or memory, and go with it. A row names the record that they
// were made from, for a memory the first one with its text, so that they never count for another.

import { numberAt, vectorsFault } from "../document-faults.ts";
import type { Visibility } from "../engine/memtable.ts";
import { decodeRecord, unlessDamaged } from "../engine/reads.ts";
import type { NewVectors, VectorPlace, VectorRecord } from "../store.ts";
import type { Core } from "./core.ts";
import {
  decodeDocumentBody,
  decodeVectorBody,
  encodeVectorBody,
  VECTOR,
  type VectorRow,
} from "./document-tables.ts";
import { documentLog, readDocumentRow } from "./documents.ts";
import { memoryLog, readMemoryRow } from "./memories.ts";
import { decodeMemoryText } from "./memory-tables.ts";
import { readEntry, readMessage } from "./messages.ts";
import { openSession } from "./sessions.ts";

/** Location of the vectors of a record; undefined if there are none. */
export function readVectorRow(
  core: Core,
  logNo: number,
  at: number,
  visibility: Visibility,
): VectorRow | undefined {
  return VECTOR.get(core, VECTOR.key(logNo, at), visibility);
}

/** Erases the vectors of a record; `bodyNo` is that of their row, undefined when there is none. */
export function dropVectors(
  core: Core,
  logNo: number,
  at: number,
  bodyNo: number | undefined,
): void {
  if (bodyNo !== undefined) {
    core.writer.eraseMessage(bodyNo);
    core.memtable.set(VECTOR.key(logNo, at), null);
  }
}

/** A message, a document or a memory that is there. */
interface Found {
  readonly logNo: number;
  /** The number of its record. */
  readonly ofNo: number;
}

/** The vectors of a record before and after a change. */
interface Step extends Found {
  readonly at: number;
  readonly oldNo: number | undefined;
  readonly record: VectorRecord;
}

function find(core: Core, place: VectorPlace, visibility: Visibility): Found | undefined {
  const at = numberAt(place);
  if (!Number.isSafeInteger(at) || at < 1) return undefined;
  if (place.kind === "document") {
    const log = documentLog(core, place, visibility);
    const row = log && readDocumentRow(log, at);
    return log && row ? { logNo: log.logNo, ofNo: row.bodyNo } : undefined;
  }
  if (place.kind === "memory") {
    const log = memoryLog(core, place.namespace, visibility);
    const row = log && readMemoryRow(log, at);
    return log && row ? { logNo: log.logNo, ofNo: row.textNo } : undefined;
  }
  const state = openSession(core, place)?.[visibility];
  const entry = state && readEntry(core, state.logNo, at, visibility);
  return state && entry && entry.messageNo !== 0
    ? { logNo: state.logNo, ofNo: entry.messageNo }
    : undefined;
}

function bytesOf(core: Core, place: VectorPlace, ofNo: number): Uint8Array {
  const payload = readMessage(core, ofNo, "pending");
  if (place.kind === "message") return payload;
  return place.kind === "document"
    ? decodeRecord("document", payload, decodeDocumentBody).bytes
    : Buffer.from(decodeRecord("memory", payload, decodeMemoryText), "utf8");
}

/** Keeps vectors of records that are as they were; gives how many were kept. */
export async function saveVectors(core: Core, all: readonly NewVectors[]): Promise<number> {
  core.writer.assertOpen();
  const fault = vectorsFault(all);
  if (fault !== undefined) throw new Error(`Vectors cannot be kept: ${fault}.`);
  const steps = new Map<string, Step>();
  let kept = 0;
  // Read before anything is changed: a damaged record must stop the whole.
  for (const { place, bytes, record } of all) {
    const found = find(core, place, "pending");
    if (found !== undefined && Buffer.compare(bytesOf(core, place, found.ofNo), bytes) === 0) {
      const at = numberAt(place);
      const oldNo = readVectorRow(core, found.logNo, at, "pending")?.bodyNo;
      steps.set(VECTOR.key(found.logNo, at), { ...found, at, oldNo, record });
      kept++;
    }
  }
  core.writer.whole(() => {
    for (const [key, { logNo, ofNo, at, oldNo, record }] of steps) {
      dropVectors(core, logNo, at, oldNo);
      const bodyNo = core.writer.putMessage(encodeVectorBody(record));
      VECTOR.put(core, key, { ofNo, bodyNo });
    }
  });
  // Also when nothing was kept: what is gone may not be durable yet.
  await core.writer.whenDurable();
  return kept;
}

/** The vectors of some records, in their order. */
export function readVectors(
  core: Core,
  places: readonly VectorPlace[],
): (VectorRecord | undefined)[] {
  return places.map((place) => unlessDamaged(core, () => vectorsOf(core, place)));
}

function vectorsOf(core: Core, place: VectorPlace): VectorRecord | undefined {
  const found = find(core, place, "committed");
  const row = found && readVectorRow(core, found.logNo, numberAt(place), "committed");
  return row === undefined || row.ofNo !== found?.ofNo
    ? undefined
    : decodeRecord("vectors", readMessage(core, row.bodyNo, "committed"), decodeVectorBody);
}
