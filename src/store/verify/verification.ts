// The check of everything in an environment.

import { STREAM_START } from "../../events/rules/event.ts";
import type { WindowInsert } from "../../session/rules/session.ts";
import { unseal } from "../engine/envelope.ts";
import type { Environment, Table } from "../engine/environment.ts";
import { type Counters, decodeJournal } from "../engine/journal.ts";
import { lastNumber, readU64, u64 } from "../engine/keys.ts";
import { Problems } from "../engine/problems.ts";
import { readEpochs } from "../lmdb/lineage.ts";
import { readIdentity } from "../lmdb/recovery.ts";
import type { ReadFacts, StreamPositions } from "../store.ts";
import { LOG_TABLES, TABLES, tableOf } from "../tables/all.ts";
import { CONSUMER, REPLY, REVISION_EVENTS_MAX } from "../tables/event-tables.ts";
import { insertsFault } from "../tables/plan-check.ts";
import {
  EXPIRY,
  HEAD,
  PURGE,
  SESSION,
  SESSION_AGENT,
  SESSION_LABEL,
  SESSION_LIST,
  SESSION_NAME,
  SESSION_UPDATED,
  SESSION_USER,
  type SessionRow,
  updatedKey,
} from "../tables/session-tables.ts";
import { listPrefixes } from "../tables/sessions.ts";
import { checkDocuments, checkVectors } from "./documents.ts";
import { checkEvents, newestRevisionIn } from "./events.ts";
import { checkLog, type LogCheck } from "./log.ts";
import { checkMemories, checkMemoryJobs } from "./memories.ts";
import { checkRecords } from "./records.ts";
import { checkSummaries, checkTasks } from "./tasks.ts";
import { NO_TOTALS, type VerifyReport } from "./verify.ts";
import { describeKey, IndexView, NumberSet, scan } from "./view.ts";

const LIST_TABLES: readonly string[] = [
  SESSION_LIST.id,
  SESSION_USER.id,
  SESSION_AGENT.id,
  SESSION_LABEL.id,
];

/** Checks everything in an open environment. */
export class Verification {
  readonly #env: Environment;
  readonly #problems = new Problems();
  readonly #readFacts: ReadFacts | undefined;
  readonly #referenced = new NumberSet();
  readonly #logs = new NumberSet();
  /** Numbers of sessions that upkeep finds by the end of their time, or before. */
  readonly #expiring = new NumberSet();
  readonly #totals = { ...NO_TOTALS };
  #known: StreamPositions | undefined;
  /** False for a store of format 6 or before, until all its sessions are listed. */
  #updatesListed = false;
  #counters: Counters = { commitNo: 0, nextSessionNo: 1, nextLogNo: 1, nextMessageNo: 1 };

  constructor(env: Environment, readFacts: ReadFacts | undefined) {
    this.#env = env;
    this.#readFacts = readFacts;
  }

  run(): VerifyReport {
    const storeId = this.#identity();
    this.#epochs();
    const view = new IndexView(this.#env, this.#problems, this.#journal());
    this.#events(view);
    this.#expiry(view);
    this.#sessions(view);
    this.#lists(view);
    this.#tasks(view);
    this.#records(view);
    this.#deadLogs(view);
    this.#others(view);
    this.#messages();
    this.#countRows(this.#env.index, "index", this.#indexRows());
    const problems = this.#problems.list();
    return { clean: problems.length === 0, storeId, problems, totals: this.#totals };
  }

  #epochs(): void {
    try {
      readEpochs(this.#env);
    } catch {
      this.#problems.add("the epochs of the store are damaged", "meta");
    }
  }

  #identity(): string {
    try {
      const identity = readIdentity(this.#env);
      this.#problems.check(identity !== undefined, "the identity of the store is missing", "meta");
      this.#known = identity?.base;
      this.#updatesListed = identity?.updatesListed === true;
      return identity?.storeId ?? "";
    } catch {
      this.#problems.add("the identity of the store is damaged", "meta");
      return "";
    }
  }

  /** Up to format 2 all revisions were counted over all namespaces. */
  get #base(): StreamPositions {
    const newest = { revision: this.#counters.commitNo, index: REVISION_EVENTS_MAX };
    return this.#known ?? { newest, oldest: STREAM_START };
  }

  #journal(): Map<string, Uint8Array | null> {
    const tail = new Map<string, Uint8Array | null>();
    let last = 0;
    let rows = 0;
    for (const { key, record } of scan(this.#env.journal)) {
      rows++;
      const journalNo = readU64(key, 0);
      const isNext = last === 0 || journalNo === last + 1;
      this.#problems.check(isNext, "a journal record is missing", journalNo - 1);
      last = journalNo;
      try {
        const entry = decodeJournal(unseal(key, record, "journal"));
        for (const change of entry.changes) {
          tail.set(change.key, change.value);
        }
        this.#counters = entry;
      } catch {
        this.#problems.add("a journal record is damaged", journalNo);
      }
    }
    this.#countRows(this.#env.journal, "journal", rows);
    return tail;
  }

  #events(view: IndexView): void {
    const base = this.#base;
    const env = this.#env;
    const problems = this.#problems;
    const { commitNo } = this.#counters;
    this.#totals.events = checkEvents({ env, view, problems, commitNo, base });
    this.#countRows(this.#env.event, "event", this.#totals.events);
  }

  // An entry may be too early, and may outlive its session; it must not be too late.
  #expiry(view: IndexView): void {
    for (const { parts } of view.rows(EXPIRY)) {
      const [ms, sessionNo] = parts;
      const session = view.read(SESSION, sessionNo);
      const head = view.read(HEAD, sessionNo)?.head;
      const end = (head?.updateMs ?? 0) + (session?.fields.ttlMs ?? 0);
      if (ms <= end) this.#expiring.add(sessionNo);
    }
  }

  #sessions(view: IndexView): void {
    const check: LogCheck = {
      env: this.#env,
      view,
      problems: this.#problems,
      referenced: this.#referenced,
      readFacts: this.#readFacts,
    };
    for (const row of view.under(SESSION.id)) {
      this.#totals.sessions++;
      const sessionNo = readU64(row.key, 1);
      const session = view.decode(row, SESSION.decode);
      if (session === undefined) continue;
      this.#session(view, sessionNo, session);
      const head = view.need(HEAD.key(sessionNo), "the head of a session", HEAD.decode);
      if (head !== undefined) {
        const isListed =
          !this.#updatesListed || view.has(updatedKey(sessionNo, { ...session, head: head.head }));
        this.#problems.check(isListed, "a session is not listed by its last change", sessionNo);
        const isOwn = this.#logs.add(head.logNo) && head.logNo < this.#counters.nextLogNo;
        this.#problems.check(isOwn, "a log belongs to two sessions", `log ${head.logNo}`);
        this.#totals.messages += checkLog(check, head);
      }
    }
  }

  #session(view: IndexView, sessionNo: number, session: SessionRow): void {
    const { namespace, sessionId, fields } = session;
    const isNamed =
      session.sessionNo === sessionNo &&
      sessionNo < this.#counters.nextSessionNo &&
      view.read(SESSION_NAME, namespace, sessionId) === sessionNo;
    this.#problems.check(isNamed, "a session is not found by its id", sessionNo);
    this.#inserts(sessionNo, fields.inserts);
    const isExpiring = fields.ttlMs === 0 || this.#expiring.has(sessionNo);
    this.#problems.check(isExpiring, "a session would never expire", sessionNo);
    for (const prefix of listPrefixes(namespace, fields)) {
      const isListed = view.has(prefix + u64(sessionNo));
      this.#problems.check(isListed, "a session is not listed", sessionNo);
    }
  }

  #inserts(sessionNo: number, inserts: readonly WindowInsert[]): void {
    const fault = insertsFault(inserts);
    this.#problems.check(fault === undefined, fault ?? "", sessionNo);
    for (const { messageId, tokenCount, bytes } of this.#readFacts === undefined ? [] : inserts) {
      try {
        const facts = this.#readFacts?.(bytes);
        const isSame = facts?.messageId === messageId && facts.tokenCount === tokenCount;
        this.#problems.check(isSame, "an insert and its message differ", sessionNo);
      } catch {
        this.#problems.add("the message of an insert is not readable", sessionNo);
      }
    }
  }

  #lists(view: IndexView): void {
    for (const { key, record: sessionNo = 0 } of view.rows(SESSION_NAME)) {
      const session = view.read(SESSION, sessionNo);
      const isSame =
        session !== undefined && SESSION_NAME.key(session.namespace, session.sessionId) === key;
      this.#problems.check(isSame, "an id leads to no session", sessionNo);
    }
    for (const { key } of view.under(HEAD.id)) {
      const sessionNo = readU64(key, 1);
      const session = view.read(SESSION, sessionNo);
      this.#problems.check(session !== undefined, "a head has no session", sessionNo);
    }
    for (const { key: listKey, parts } of view.rows(SESSION_UPDATED)) {
      const [, , sessionNo] = parts;
      const session = view.read(SESSION, sessionNo);
      const head = view.read(HEAD, sessionNo)?.head;
      const key = session && head && updatedKey(sessionNo, { ...session, head });
      this.#problems.check(key === listKey, "a list names a wrong session", sessionNo);
    }
    for (const table of LIST_TABLES) {
      for (const row of view.under(table)) {
        view.decode(row, () => true);
        const sessionNo = lastNumber(row.key);
        const session = view.read(SESSION, sessionNo);
        const prefixes =
          session === undefined ? [] : listPrefixes(session.namespace, session.fields);
        const isListed = prefixes.includes(row.key.slice(0, -8));
        this.#problems.check(isListed, "a list names a wrong session", sessionNo);
      }
    }
  }

  #tasks(view: IndexView): void {
    const newestRevision = newestRevisionIn(view, this.#base);
    const check = { view, problems: this.#problems, newestRevision };
    this.#totals.tasks = checkTasks(check);
    for (const { key } of view.under(SESSION.id)) {
      this.#totals.summaries += checkSummaries(check, readU64(key, 1));
    }
  }

  #records(view: IndexView): void {
    const env = this.#env;
    const logs = this.#logs;
    const problems = this.#problems;
    const referenced = this.#referenced;
    const { nextLogNo } = this.#counters;
    const newestRevision = newestRevisionIn(view, this.#base);
    const check = { env, view, problems, logs, nextLogNo, newestRevision, referenced };
    this.#totals.documents = checkDocuments(check);
    this.#totals.memories = checkMemories(check);
    this.#totals.memoryJobs = checkMemoryJobs(check);
    checkRecords(check);
    this.#totals.vectors = checkVectors(check);
  }

  // Logs that wait to be erased: their messages are accounted for, but may be gone already.
  #deadLogs(view: IndexView): void {
    for (const { key } of view.under(PURGE.id)) {
      const logNo = readU64(key, 1);
      const isDead = this.#logs.add(logNo);
      this.#problems.check(isDead, "a log is in use and being erased", `log ${logNo}`);
      for (const { id, bodyNo } of isDead ? LOG_TABLES : []) {
        for (const row of bodyNo === undefined ? [] : view.under(id + u64(logNo))) {
          this.#referenced.add((bodyNo && view.decode(row, bodyNo)) ?? 0);
        }
      }
    }
  }

  #others(view: IndexView): void {
    this.#totals.replies = view.count(REPLY.id);
    this.#totals.consumers = view.count(CONSUMER.id);
    for (const { id, under } of TABLES) {
      for (const row of under === undefined ? [] : view.under(id)) {
        const isKnown = this.#logs.has(readU64(row.key, 1));
        this.#problems.check(isKnown, "a record belongs to no log", describeKey(row.key));
      }
    }
  }

  #messages(): void {
    let rows = 0;
    for (const { key, record } of scan(this.#env.message)) {
      rows++;
      const messageNo = readU64(key, 0);
      const isKnown = messageNo < this.#counters.nextMessageNo && this.#referenced.has(messageNo);
      this.#problems.check(isKnown, "a message belongs to no log", messageNo);
      try {
        unseal(key, record, "message");
      } catch {
        this.#problems.add("a message is damaged", messageNo);
      }
    }
    this.#countRows(this.#env.message, "message", rows);
  }

  #indexRows(): number {
    let rows = 0;
    for (const row of scan(this.#env.index)) {
      rows++;
      const isKnown = tableOf(row.key) !== undefined;
      this.#problems.check(isKnown, "a record belongs to no table", describeKey(row.key));
    }
    return rows;
  }

  // LMDB counts the rows of a table; lost pages make it count more than there are.
  #countRows(table: Table, name: string, rows: number): void {
    this.#totals.records += rows;
    const { entryCount } = table.getStats() as { entryCount: number };
    this.#problems.check(rows === entryCount, "records of a table are lost", name);
  }
}
