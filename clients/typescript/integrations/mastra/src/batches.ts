// Rows that fit into one append of the server.

import { BATCH_BYTES, batchesOf, MAX_PAYLOAD_BYTES } from "@memory-sidecar/client/adapters";
import { bytesOf, type Row } from "./rows.ts";

/** An append takes 256 operations on records; a row may need three of them. */
const LIMITS = { rows: 80, bytes: BATCH_BYTES };
const OVERHEAD_BYTES = 4_096;

/** Splits rows into appends, each of one thread. Most threads need only one. */
export function appendsOf(rows: readonly Row[]): (readonly Row[])[] {
  const ofThread = new Map<string, Row[]>();
  for (const row of rows) {
    const others = ofThread.get(row.threadId);
    if (others === undefined) ofThread.set(row.threadId, [row]);
    else others.push(row);
  }
  return [...ofThread.values()].flatMap((some) => [...batchesOf(some, costOf, LIMITS)]);
}

/** Texts are kept twice: in the payload and as the content of the message. */
function costOf(row: Row) {
  const bytes = 2 * Math.min(bytesOf(row).length, MAX_PAYLOAD_BYTES) + OVERHEAD_BYTES;
  return { rows: 1, bytes };
}
