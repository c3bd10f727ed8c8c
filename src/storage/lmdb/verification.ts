// The check of everything in an environment.

import { STREAM_START } from "../../domain/event.ts";
import type { WindowInsert } from "../../domain/session.ts";
import type { ReadFacts, StreamPositions } from "../store.ts";
import { decodeConsumer, decodeHead, decodeNumber, decodeReply } from "./codec.ts";
import { unseal } from "./envelope.ts";
import type { Environment, Table } from "./environment.ts";
import { type Counters, decodeJournal } from "./journal.ts";
import {
  headKey,
  LAST_TABLE,
  nameKey,
  REVISION_EVENTS_MAX,
  readU64,
  sessionKey,
  TABLE,
  u64,
} from "./keys.ts";
import { PURGED_BODIES } from "./maintenance.ts";
import { insertsFault } from "./plan-check.ts";
import { readIdentity } from "./recovery.ts";
import { decodeSession, type SessionRow } from "./session-codec.ts";
import { listPrefixes } from "./sessions.ts";
import type { VerifyReport } from "./verify.ts";
import { checkDocuments, checkVectors } from "./verify-documents.ts";
import { checkEvents, newestRevisionIn } from "./verify-events.ts";
import { checkLog, type LogCheck } from "./verify-log.ts";
import { checkMemories, checkMemoryJobs } from "./verify-memories.ts";
import { checkSummaries, checkTasks } from "./verify-tasks.ts";
import { describeKey, IndexView, NumberSet, Problems, scan } from "./verify-view.ts";

const START = u64(0);
const END = "\xff".repeat(11);
const LOG_TABLES = [
  TABLE.entry,
  TABLE.id,
  TABLE.window,
  TABLE.kept,
  TABLE.summary,
  TABLE.document,
  TABLE.documentId,
  TABLE.chunk,
  TABLE.vector,
  TABLE.memory,
  TABLE.memoryId,
  TABLE.memoryPast,
  TABLE.memoryScope,
  TABLE.memoryIn,
  TABLE.memoryOf,
  TABLE.memoryTerm,
  TABLE.memoryRank,
  TABLE.promoted,
  TABLE.promotedAt,
  TABLE.memoryHeldIn,
  TABLE.memoryGone,
];
const LIST_TABLES: readonly string[] = [TABLE.all, TABLE.user, TABLE.agent, TABLE.label];

/** Checks everything in an open environment. */
export class Verification {
  private readonly env: Environment;
  private readonly problems = new Problems();
  private readonly readFacts: ReadFacts | undefined;
  private readonly referenced = new NumberSet();
  private readonly logs = new NumberSet();
  /** Numbers of sessions that upkeep finds by the end of their time, or before. */
  private readonly expiring = new NumberSet();
  private readonly totals = {
    sessions: 0,
    messages: 0,
    events: 0,
    consumers: 0,
    replies: 0,
    tasks: 0,
    summaries: 0,
    documents: 0,
    memories: 0,
    memoryJobs: 0,
    vectors: 0,
    records: 0,
  };
  private known: StreamPositions | undefined;
  private counters: Counters = { commitNo: 0, nextSessionNo: 1, nextLogNo: 1, nextMessageNo: 1 };

  constructor(env: Environment, readFacts: ReadFacts | undefined) {
    this.env = env;
    this.readFacts = readFacts;
  }

  run(): VerifyReport {
    const storeId = this.identity();
    const view = new IndexView(this.env, this.problems, this.journal());
    this.events(view);
    this.expiry(view);
    this.sessions(view);
    this.lists(view);
    this.tasks(view);
    this.records(view);
    this.deadLogs(view);
    this.others(view);
    this.messages();
    this.countRows(this.env.index, "index", this.indexRows());
    const problems = this.problems.list();
    return { clean: problems.length === 0, storeId, problems, totals: this.totals };
  }

  private identity(): string {
    try {
      const identity = readIdentity(this.env);
      this.problems.check(identity !== undefined, "the identity of the store is missing", "meta");
      this.known = identity?.base;
      return identity?.storeId ?? "";
    } catch {
      this.problems.add("the identity of the store is damaged", "meta");
      return "";
    }
  }

  /** Up to format 2 all revisions were counted over all namespaces. */
  private get base(): StreamPositions {
    const newest = { revision: this.counters.commitNo, index: REVISION_EVENTS_MAX };
    return this.known ?? { newest, oldest: STREAM_START };
  }

  private journal(): Map<string, Uint8Array | null> {
    const tail = new Map<string, Uint8Array | null>();
    let last = 0;
    let rows = 0;
    for (const { key, record } of scan(this.env.journal, START, END)) {
      rows++;
      const journalNo = readU64(key, 0);
      const isNext = last === 0 || journalNo === last + 1;
      this.problems.check(isNext, "a journal record is missing", journalNo - 1);
      last = journalNo;
      try {
        const entry = decodeJournal(unseal(key, record, "journal"));
        for (const change of entry.changes) {
          tail.set(change.key, change.value);
        }
        this.counters = entry;
      } catch {
        this.problems.add("a journal record is damaged", journalNo);
      }
    }
    this.countRows(this.env.journal, "journal", rows);
    return tail;
  }

  private events(view: IndexView): void {
    const { base, env, problems } = this;
    const { commitNo } = this.counters;
    this.totals.events = checkEvents({ env, view, problems, commitNo, base });
    this.countRows(this.env.event, "event", this.totals.events);
  }

  // An entry may be too early, and may outlive its session; it must not be too late.
  private expiry(view: IndexView): void {
    for (const row of view.under(TABLE.expiry)) {
      view.decode(row, () => true);
      const sessionNo = readU64(row.key, 9);
      const session = view.find(sessionKey(sessionNo), decodeSession);
      const head = view.find(headKey(sessionNo), decodeHead)?.head;
      const end = (head?.updateMs ?? 0) + (session?.fields.ttlMs ?? 0);
      if (readU64(row.key, 1) <= end) {
        this.expiring.add(sessionNo);
      }
    }
  }

  private sessions(view: IndexView): void {
    const check: LogCheck = {
      env: this.env,
      view,
      problems: this.problems,
      referenced: this.referenced,
      readFacts: this.readFacts,
    };
    for (const row of view.under(TABLE.session)) {
      this.totals.sessions++;
      const sessionNo = readU64(row.key, 1);
      const session = view.decode(row, decodeSession);
      if (session === undefined) {
        continue;
      }
      this.session(view, sessionNo, session);
      const head = view.need(headKey(sessionNo), "the head of a session", decodeHead);
      if (head !== undefined) {
        const isOwn = this.logs.add(head.logNo) && head.logNo < this.counters.nextLogNo;
        this.problems.check(isOwn, "a log belongs to two sessions", `log ${head.logNo}`);
        this.totals.messages += checkLog(check, head);
      }
    }
  }

  private session(view: IndexView, sessionNo: number, session: SessionRow): void {
    const { namespace, sessionId, fields } = session;
    const isNamed =
      session.sessionNo === sessionNo &&
      sessionNo < this.counters.nextSessionNo &&
      view.find(nameKey(namespace, sessionId), decodeNumber) === sessionNo;
    this.problems.check(isNamed, "a session is not found by its id", sessionNo);
    this.inserts(sessionNo, fields.inserts);
    const isExpiring = fields.ttlMs === 0 || this.expiring.has(sessionNo);
    this.problems.check(isExpiring, "a session would never expire", sessionNo);
    for (const prefix of listPrefixes(namespace, fields)) {
      const isListed = view.find(prefix + u64(sessionNo), () => true) === true;
      this.problems.check(isListed, "a session is not listed", sessionNo);
    }
  }

  private inserts(sessionNo: number, inserts: readonly WindowInsert[]): void {
    const fault = insertsFault(inserts);
    this.problems.check(fault === undefined, fault ?? "", sessionNo);
    for (const { messageId, tokenCount, bytes } of this.readFacts === undefined ? [] : inserts) {
      try {
        const facts = this.readFacts?.(bytes);
        const isSame = facts?.messageId === messageId && facts.tokenCount === tokenCount;
        this.problems.check(isSame, "an insert and its message differ", sessionNo);
      } catch {
        this.problems.add("the message of an insert is not readable", sessionNo);
      }
    }
  }

  private lists(view: IndexView): void {
    for (const { key, record } of view.under(TABLE.name)) {
      const sessionNo = view.decode({ key, record }, decodeNumber) ?? 0;
      const session = view.find(sessionKey(sessionNo), decodeSession);
      const isSame = session !== undefined && nameKey(session.namespace, session.sessionId) === key;
      this.problems.check(isSame, "an id leads to no session", sessionNo);
    }
    for (const { key } of view.under(TABLE.head)) {
      const sessionNo = readU64(key, 1);
      const session = view.find(sessionKey(sessionNo), decodeSession);
      this.problems.check(session !== undefined, "a head has no session", sessionNo);
    }
    for (const table of LIST_TABLES) {
      for (const row of view.under(table)) {
        view.decode(row, () => true);
        const sessionNo = readU64(row.key, row.key.length - 8);
        const session = view.find(sessionKey(sessionNo), decodeSession);
        const prefixes =
          session === undefined ? [] : listPrefixes(session.namespace, session.fields);
        const isListed = prefixes.includes(row.key.slice(0, -8));
        this.problems.check(isListed, "a list names a wrong session", sessionNo);
      }
    }
  }

  private tasks(view: IndexView): void {
    const newestRevision = newestRevisionIn(view, this.base);
    const check = { view, problems: this.problems, newestRevision };
    this.totals.tasks = checkTasks(check);
    for (const { key } of view.under(TABLE.session)) {
      this.totals.summaries += checkSummaries(check, readU64(key, 1));
    }
  }

  private records(view: IndexView): void {
    const { env, logs, problems, referenced } = this;
    const { nextLogNo } = this.counters;
    const newestRevision = newestRevisionIn(view, this.base);
    const check = { env, view, problems, logs, nextLogNo, newestRevision, referenced };
    this.totals.documents = checkDocuments(check);
    this.totals.memories = checkMemories(check);
    this.totals.memoryJobs = checkMemoryJobs(check);
    this.totals.vectors = checkVectors(check);
  }

  // Logs that wait to be erased: their messages are accounted for, but may be gone already.
  private deadLogs(view: IndexView): void {
    for (const { key } of view.under(TABLE.purge)) {
      const logNo = readU64(key, 1);
      const isDead = this.logs.add(logNo);
      this.problems.check(isDead, "a log is in use and being erased", `log ${logNo}`);
      for (const { bodyOf, prefixOf } of isDead ? PURGED_BODIES : []) {
        for (const row of view.under(prefixOf(logNo))) {
          this.referenced.add(view.decode(row, bodyOf) ?? 0);
        }
      }
    }
  }

  private others(view: IndexView): void {
    for (const row of view.under(TABLE.reply)) {
      this.totals.replies++;
      view.decode(row, decodeReply);
    }
    for (const row of view.under(TABLE.consumer)) {
      this.totals.consumers++;
      view.decode(row, decodeConsumer);
    }
    for (const table of LOG_TABLES) {
      for (const row of view.under(table)) {
        const isKnown = this.logs.has(readU64(row.key, 1));
        this.problems.check(isKnown, "a record belongs to no log", describeKey(row.key));
      }
    }
  }

  private messages(): void {
    let rows = 0;
    for (const { key, record } of scan(this.env.message, START, END)) {
      rows++;
      const messageNo = readU64(key, 0);
      const isKnown = messageNo < this.counters.nextMessageNo && this.referenced.has(messageNo);
      this.problems.check(isKnown, "a message belongs to no log", messageNo);
      try {
        unseal(key, record, "message");
      } catch {
        this.problems.add("a message is damaged", messageNo);
      }
    }
    this.countRows(this.env.message, "message", rows);
  }

  private indexRows(): number {
    let rows = 0;
    for (const row of scan(this.env.index, "\x00", END)) {
      rows++;
      const isKnown = row.key.charCodeAt(0) <= LAST_TABLE.charCodeAt(0);
      this.problems.check(isKnown, "a record belongs to no table", describeKey(row.key));
    }
    return rows;
  }

  // LMDB counts the rows of a table; lost pages make it count more than there are.
  private countRows(table: Table, name: string, rows: number): void {
    this.totals.records += rows;
    const { entryCount } = table.getStats() as { entryCount: number };
    this.problems.check(rows === entryCount, "records of a table are lost", name);
  }
}
