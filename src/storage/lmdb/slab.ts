// Records share slabs, so that a record costs no allocation of its own. Those of the index may stay
// in the memtable for long; those of the logs are done with after their commit: so each kind has
// its own slabs, and none keeps the other's in memory.

import { Slab } from "../../lib/slab.ts";
import { ENVELOPE_BYTES, writeEnvelope } from "./envelope.ts";

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
