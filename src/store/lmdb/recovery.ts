// Opening: the identity of the store, the journal tail, and where everything goes on.

import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { recordCorrupt } from "../../kit/errors.ts";
import { commitFailure, isCommitFailure } from "../engine/commit-failure.ts";
import { seal, unseal } from "../engine/envelope.ts";
import { type Environment, openEnvironment } from "../engine/environment.ts";
import { decodeJournal, type JournalStart } from "../engine/journal.ts";
import { readU64, u64 } from "../engine/keys.ts";
import type { Memtable } from "../engine/memtable.ts";
import { decodeRecord } from "../engine/reads.ts";
import { mayHoldRecords, REDO_FILE, readRedoLog, redo } from "../engine/redo-log.ts";
import type { StreamPositions } from "../store.ts";
import type { Core } from "../tables/core.ts";
import { CONSUMER, DROPPED } from "../tables/event-tables.ts";
import { type EventLogStart, readEventLog } from "../tables/events.ts";
import { checkStart } from "./start-check.ts";

/**
 * The format of the whole directory. A store of a newer one is not opened; one of an older one gets
 * this one when it is opened for writing.
 *
 * 2: memories, and the memory policies of sessions, which a version that knows only 1 would drop
 * from a session that it changes.
 * 3: each namespace counts its revisions (revisions.ts), tasks stand under their namespace, and the
 * store has a history and an instance.
 * 4: memories are found by the messages that they name, a list that a version that knows only 3
 * would leave wrong.
 * 5: answers to request ids name what they hold, and erasures are jobs; a version that knows only 4
 * would answer with an error and leave erasures undone.
 * 6: records, which a version that knows only 5 would leave out of erasures and verify.
 * 7: sessions are listed by their last change, a list that a version that knows only 6 would leave
 * wrong; and every namespace is listed.
 * 8: values of records in parts, which a version that knows only 7 would call damaged.
 * 9: payloads of documents, which a version that knows only 8 would leave behind, documents of
 * records, which it would let callers change, and numbers of collections, which it would leave
 * wrong.
 * 10: a redo log, whose groups a version that knows only 9 would not carry out.
 */
const STORE_FORMAT = 10;

const OLDEST_FORMAT = 1;

const IDENTITY_KEY = "identity";
// Above every 8-byte number that is used.
const END = "\xff".repeat(9);

/** Identity of a store. Ids are 16 hexadecimal digits. */
export interface Identity {
  readonly storeId: string;
  readonly format: number;
  /**
   * Names the history of the store: that of its making is the store's id. A copy that takes the
   * place of the store gets a new one. Missing up to format 2.
   */
  readonly historyId?: string;
  /** Names those who serve this directory among all who serve the store. Missing up to format 2. */
  readonly instanceId?: string;
  /** Starts of the revisions of every namespace (revisions.ts). Missing up to format 2. */
  readonly base?: StreamPositions;
  /** Sessions are listed by their last change. Missing up to format 6, until all are. */
  readonly updatesListed?: boolean;
}

/** Reads who the store is; undefined when it is new. */
export function readIdentity(env: Environment): Identity | undefined {
  const record = env.meta.get(IDENTITY_KEY);
  if (record === undefined) return undefined;
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

/**
 * Identity of the store that is opened for writing. A new one and one of an older format get this
 * format in one transaction: until then nothing is changed.
 *
 * @param base - Where the revisions end that were counted over all namespaces.
 * @param newHistory - Gives the store another history than the one it has.
 */
export async function claimIdentity(
  env: Environment,
  old: Identity | undefined,
  base: StreamPositions,
  newHistory: boolean,
): Promise<Required<Identity>> {
  if (old === undefined && !isEmpty(env)) {
    throw recordCorrupt("the identity of the store is missing");
  }
  const storeId = old?.storeId ?? makeId();
  const identity = {
    ...{ storeId, historyId: storeId, instanceId: makeId(), base },
    updatesListed: old === undefined,
    ...old,
    ...(newHistory ? { historyId: makeId() } : {}),
    format: STORE_FORMAT,
  };
  if (newHistory || old?.format !== STORE_FORMAT) await saveIdentity(env, identity);
  return identity;
}

/** Names the history of a store; undefined for a new one. */
export function historyIdOf(identity: Identity | undefined): string | undefined {
  return identity?.historyId ?? identity?.storeId;
}

/** Writes who the store is. */
export async function saveIdentity(env: Environment, identity: Required<Identity>): Promise<void> {
  const record = seal(IDENTITY_KEY, Buffer.from(JSON.stringify(identity)));
  await env.root.batch(() => {
    env.meta.put(IDENTITY_KEY, record);
  });
}

function makeId(): string {
  return randomBytes(8).toString("hex");
}

/** Whether the environment holds anything but its identity. */
function isEmpty(env: Environment): boolean {
  return [env.message, env.event, env.journal, env.index].every(
    (table) => (table.getStats() as { entryCount: number }).entryCount === 0,
  );
}

/**
 * Brings the data file of a store that nobody serves up to its redo log, as a start does, and
 * removes the log. The caller holds the lock of the directory. Throws RECORD_CORRUPT when either is
 * damaged, and CommitFailedError when the disk refuses a write.
 */
export async function carryOutRedoLog(directory: string): Promise<void> {
  const log = readRedoLog(directory);
  if (mayHoldRecords(log)) {
    checkStart(directory, Number.POSITIVE_INFINITY);
    await redoInto(directory, log);
  }
  rmSync(join(directory, REDO_FILE), { force: true });
}

/** Carries out a redo log in the data file of a directory that nobody serves. */
export async function redoInto(directory: string, log: Buffer): Promise<void> {
  const env = openEnvironment({ directory });
  try {
    await redo(log, env, historyIdOf(readIdentity(env)));
  } catch (error) {
    if (isCommitFailure(error)) throw await commitFailure(error);
    await env.root.close();
    throw error;
  }
  await env.root.close();
}

/**
 * Replays the journal tail into the memtable. Throws RECORD_CORRUPT when a record of it is damaged
 * or missing, or when messages are there that no journal record knows of.
 */
export function replayJournal(env: Environment, memtable: Memtable): JournalStart {
  let first = 0;
  let last = 0;
  let start = { commitNo: 0, nextSessionNo: 1, nextLogNo: 1, nextMessageNo: 1 };
  let newestHasChanges = false;
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
      const { commitNo, nextSessionNo, nextLogNo, nextMessageNo } = entry;
      start = { commitNo, nextSessionNo, nextLogNo, nextMessageNo };
      newestHasChanges = entry.changes.length > 0;
      first = first === 0 ? journalNo : first;
      last = journalNo;
      from = key;
    }
    if (rows.length < 64) break;
  }
  if (last === 0 && !isEmpty(env)) throw recordCorrupt("the journal is missing");
  checkMessages(env, start.nextMessageNo);
  const firstJournalNo = first === 0 ? 1 : first;
  return { ...start, firstJournalNo, nextJournalNo: last + 1, newestHasChanges };
}

function checkMessages(env: Environment, nextMessageNo: number): void {
  const range = { start: END, end: u64(0), reverse: true, limit: 1 };
  const [newest] = [...env.message.getKeys(range)];
  if (newest !== undefined && readU64(newest, 0) >= nextMessageNo) {
    throw recordCorrupt(`the journal does not know message ${readU64(newest, 0)}`);
  }
}

/** Reads where the event log goes on. */
export function recoverEvents(
  parts: Pick<Core, "env" | "memtable">,
  commitNo: number,
): EventLogStart {
  const dropped = CONSUMER.get(parts, DROPPED.id, "committed");
  return readEventLog(parts.env, commitNo, dropped?.position);
}
