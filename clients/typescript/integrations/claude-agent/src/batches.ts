// Batches of entries that fit into one append of the server.

import type { SessionStoreEntry } from "@anthropic-ai/claude-agent-sdk";
import { MAX_PAYLOAD_BYTES } from "./entries.ts";

const BATCH_BYTES = 3 * 1024 * 1024;
const BATCH_ENTRIES = 1_000;
/** Maximum of entries kept in records: an append takes 256 operations on records. */
const BATCH_LARGE = 250;

/** An entry with its JSON text. */
export interface Line {
  readonly entry: SessionStoreEntry;
  readonly payload: Buffer;
}

/** Whether an entry is kept in a record of its own. */
export function isLarge({ payload }: Line): boolean {
  return payload.length > MAX_PAYLOAD_BYTES;
}

/** Splits entries into appends. Most need only one. */
export function* batchesOf(entries: readonly SessionStoreEntry[]): Generator<readonly Line[]> {
  let batch: Line[] = [];
  let size = 0;
  let large = 0;
  for (const entry of entries) {
    const line = { entry, payload: Buffer.from(JSON.stringify(entry)) };
    // Texts are kept twice: in the payload and as the content of the message.
    const length = 2 * Math.min(line.payload.length, MAX_PAYLOAD_BYTES) + 1_024;
    const isFull = batch.length === BATCH_ENTRIES || large === BATCH_LARGE;
    if (batch.length > 0 && (isFull || size + length > BATCH_BYTES)) {
      yield batch;
      batch = [];
      size = 0;
      large = 0;
    }
    batch.push(line);
    size += length;
    if (isLarge(line)) large += 1;
  }
  if (batch.length > 0) yield batch;
}
