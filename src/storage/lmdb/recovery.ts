// Opening: the identity of the store, the journal tail, and where everything goes on.

import { recordCorrupt } from "../../domain/errors.ts";
import { decodeConsumer } from "./codec.ts";
import { type Core, decodeRecord, readIndex } from "./core.ts";
import { seal, unseal } from "./envelope.ts";
import type { Environment } from "./environment.ts";
import { type EventLogStart, readEventLog } from "./events.ts";
import { decodeJournal, type JournalStart } from "./journal.ts";
import { DROPPED_KEY, readU64, u64 } from "./keys.ts";
import type { Memtable } from "./memtable.ts";

/**
 * The format of the whole directory. A store of a newer one is not opened; one of an older one gets
 * this one when it is opened for writing. 2: memories, and the memory policies of sessions, which a
 * version that knows only 1 would drop from a session that it changes.
 */
const STORE_FORMAT = 2;

const OLDEST_FORMAT = 1;

const IDENTITY_KEY = "identity";
// Above every 8-byte number that is used.
const END = "\xff".repeat(9);

/** Who a store is. */
export interface Identity {
  readonly storeId: string;
  readonly format: number;
}

/** Reads who the store is; undefined when it is new. */
export function readIdentity(env: Environment): Identity | undefined {
  const record = env.meta.get(IDENTITY_KEY);
  if (record === undefined) {
    return undefined;
  }
  const payload = unseal(IDENTITY_KEY, record, "identity");
  const identity = decodeRecord("identity", payload, (bytes) => {
    return JSON.parse(Buffer.from(bytes).toString("utf8")) as Identity;
  });
  const { format } = identity;
  if (!(Number.isInteger(format) && format >= OLDEST_FORMAT && format <= STORE_FORMAT)) {
    throw new Error(
      `The data directory has format ${format}; this version reads ${OLDEST_FORMAT} to ` +
        `${STORE_FORMAT}. Use the version that wrote it, or a newer one.`,
    );
  }
  return identity;
}

/** Who the store is that is opened for writing; a new or an older one gets this format. */
export async function claimIdentity(
  env: Environment,
  makeStoreId: () => string,
): Promise<Identity> {
  const old = readIdentity(env);
  if (old === undefined && !isEmpty(env)) {
    throw recordCorrupt("the identity of the store is missing");
  }
  if (old?.format === STORE_FORMAT) {
    return old;
  }
  const identity = { storeId: old?.storeId ?? makeStoreId(), format: STORE_FORMAT };
  const record = seal(IDENTITY_KEY, Buffer.from(JSON.stringify(identity)));
  await env.root.batch(() => {
    env.meta.put(IDENTITY_KEY, record);
  });
  return identity;
}

/** Whether the environment holds anything but its identity. */
function isEmpty(env: Environment): boolean {
  return [env.message, env.event, env.journal, env.index].every(
    (table) => (table.getStats() as { entryCount: number }).entryCount === 0,
  );
}

/**
 * Replays the journal tail into the memtable. Throws RECORD_CORRUPT when a record of it is damaged
 * or missing, or when messages are there that no journal record knows of.
 */
export function replayJournal(env: Environment, memtable: Memtable): JournalStart {
  let first = 0;
  let last = 0;
  let start = { revision: 0, nextSessionNo: 1, nextLogNo: 1, nextMessageNo: 1 };
  let from = u64(0);
  for (;;) {
    const rows = [
      ...env.journal.getRange({ start: from, end: END, limit: 64, exclusiveStart: last !== 0 }),
    ];
    for (const { key, value } of rows) {
      const journalNo = readU64(key, 0);
      if (last !== 0 && journalNo !== last + 1) {
        throw recordCorrupt(`journal record ${last + 1} is missing`);
      }
      const what = `journal record ${journalNo}`;
      const entry = decodeRecord(what, unseal(key, value, what), decodeJournal);
      for (const change of entry.changes) {
        memtable.replay(change, journalNo);
      }
      const { revision, nextSessionNo, nextLogNo, nextMessageNo } = entry;
      start = { revision, nextSessionNo, nextLogNo, nextMessageNo };
      first = first === 0 ? journalNo : first;
      last = journalNo;
      from = key;
    }
    if (rows.length < 64) {
      break;
    }
  }
  if (last === 0 && !isEmpty(env)) {
    throw recordCorrupt("the journal is missing");
  }
  checkMessages(env, start.nextMessageNo);
  return { ...start, firstJournalNo: first === 0 ? 1 : first, nextJournalNo: last + 1 };
}

function checkMessages(env: Environment, nextMessageNo: number): void {
  const range = { start: END, end: u64(0), reverse: true, limit: 1 };
  const [newest] = [...env.message.getKeys(range)];
  if (newest !== undefined && readU64(newest, 0) >= nextMessageNo) {
    throw recordCorrupt(`the journal does not know message ${readU64(newest, 0)}`);
  }
}

/** Reads where the event log goes on. */
export function recoverEvents(core: Core, revision: number): EventLogStart {
  const dropped = readIndex(core, DROPPED_KEY, "committed", decodeConsumer);
  return readEventLog(core, revision, dropped?.position);
}
