// Rows that fit into one append of the server.

import { bytesOf, MAX_PAYLOAD_BYTES, type Row } from "./rows.ts";

const BATCH_BYTES = 3 * 1024 * 1024;
/** An append takes 256 operations on records; a row may need three of them. */
const BATCH_ROWS = 80;
const OVERHEAD_BYTES = 4_096;

/** Splits rows into appends, each of one thread. Most threads need only one. */
export function batchesOf(rows: readonly Row[]): Row[][] {
  const ofThread = new Map<string, Row[]>();
  for (const row of rows) {
    const others = ofThread.get(row.threadId);
    if (others === undefined) ofThread.set(row.threadId, [row]);
    else others.push(row);
  }
  return [...ofThread.values()].flatMap((some) => [...split(some)]);
}

function* split(rows: readonly Row[]): Generator<Row[]> {
  let batch: Row[] = [];
  let size = 0;
  for (const row of rows) {
    // Texts are kept twice: in the payload and as the content of the message.
    const length = 2 * Math.min(bytesOf(row).length, MAX_PAYLOAD_BYTES) + OVERHEAD_BYTES;
    if (batch.length > 0 && (batch.length === BATCH_ROWS || size + length > BATCH_BYTES)) {
      yield batch;
      batch = [];
      size = 0;
    }
    batch.push(row);
    size += length;
  }
  if (batch.length > 0) yield batch;
}
