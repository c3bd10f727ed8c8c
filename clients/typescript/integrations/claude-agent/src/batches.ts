// Batches of entries that fit into one append of the server.

import type { SessionStoreEntry } from "@anthropic-ai/claude-agent-sdk";
import { BATCH_BYTES, batchesOf, MAX_PAYLOAD_BYTES } from "@memory-sidecar/client/adapters";

const LIMITS = { entries: 1_000, bytes: BATCH_BYTES };

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
export function appendsOf(entries: readonly SessionStoreEntry[]): Generator<readonly Line[]> {
  const lines = entries.map((entry) => ({ entry, payload: Buffer.from(JSON.stringify(entry)) }));
  return batchesOf(lines, costOf, LIMITS);
}

function costOf({ payload }: Line) {
  // Texts are kept twice: in the payload and as the content of the message.
  const bytes = 2 * Math.min(payload.length, MAX_PAYLOAD_BYTES) + 1_024;
  return { entries: 1, bytes };
}
