// Logs that come from outside. Like the copy of a log, such a log is written in bounded chunks
// under a number that no session has, guarded by a purge record, so that upkeep erases what a crash
// or an abandoned import left. Publishing removes the guard and makes the session, in one
// transaction.

import { AppError, messageAlreadyExists } from "../../kit/errors.ts";
import { seqOfMessageId } from "../../kit/ids.ts";
import type { SessionRef } from "../../session/rules/session.ts";
import type { SeqRange } from "../../window/rules/types.ts";
import type { ImportDecision, ImportView, LogImport, NewMessage } from "../store.ts";
import type { CachedSession } from "../tables/cache.ts";
import type { Core } from "../tables/core.ts";
import { appendMessage, putTombstone, readEntry, readStored } from "../tables/messages.ts";
import { checkEvents, checkFields, checkHead, unsound } from "../tables/plan-check.ts";
import { finishChange, nextRevision, pendingReply } from "../tables/replies.ts";
import { KEPT, MESSAGE_ID, PAST_WINDOW, PURGE } from "../tables/session-tables.ts";
import { openSession } from "../tables/sessions.ts";
import { checkSummaries, saveSummaries } from "../tables/summaries.ts";
import {
  aboutSession,
  type Removal,
  removalOf,
  removeSession,
  saveExpiry,
  saveFields,
} from "./change.ts";
import type { CopyContext } from "./copy.ts";

const CHUNK_ENTRIES = 1_024;
const CHUNK_BYTES = 1_048_576;

interface Seqs {
  readonly firstSeq: number;
  readonly lastSeq: number;
}

type Target = SessionRef & { readonly requestId?: string };

type Save = ImportDecision<unknown> & { readonly kind: "save" };

/** Starts a log with these seqs. */
export async function startImport(context: CopyContext, seqs: Seqs): Promise<LogImport> {
  await context.admit();
  const log = new ImportedLog(context, seqs);
  await context.core.writer.whenFormingDurable(undefined);
  return log;
}

class ImportedLog implements LogImport {
  readonly #context: CopyContext;
  readonly #core: Core;
  readonly #seqs: Seqs;
  readonly #logNo: number;
  readonly #kept: SeqRange[] = [];
  #messageCount = 0;
  #tokenCount = 0;
  #newest = 0;
  #entries = 0;
  #bytes = 0;
  #published = false;
  #abandoned = false;
  /** A step is under way, after which nothing more is written. */
  #busy = false;
  /** Settles when the chunk before the one being written is durable. */
  #before: Promise<unknown> = Promise.resolve();

  constructor(context: CopyContext, seqs: Seqs) {
    this.#context = context;
    this.#core = context.core;
    this.#seqs = seqs;
    this.#logNo = context.core.writer.nextLogNo++;
    context.copying.add(this.#logNo);
    PURGE.put(this.#core, PURGE.key(this.#logNo), {
      nextSeq: 1,
      lastSeq: Math.max(1, seqs.lastSeq),
    });
  }

  add(messages: readonly NewMessage[]): Promise<void> {
    return this.#step(() => this.#addAll(messages));
  }

  publish<T>(target: Target, decide: (view: ImportView) => ImportDecision<T>): Promise<T> {
    return this.#step(() => this.#publishAll(target, decide));
  }

  abandon(): void {
    this.#abandoned = true;
    this.#release();
  }

  // Upkeep must not erase a log while it is still written to, or even made a session's.
  async #step<T>(run: () => Promise<T>): Promise<T> {
    this.#busy = true;
    try {
      return await run();
    } finally {
      this.#busy = false;
      this.#release();
    }
  }

  #release(): void {
    if (this.#published || (this.#abandoned && !this.#busy)) {
      this.#context.copying.delete(this.#logNo);
    }
  }

  /** Waits for room; an import that was given up goes no further. */
  async #admit(): Promise<void> {
    await this.#context.admit();
    if (this.#abandoned) throw new AppError("SHUTTING_DOWN", "The import was given up.");
  }

  async #addAll(messages: readonly NewMessage[]): Promise<void> {
    await this.#admit();
    for (const message of messages) {
      if (message.seq <= this.#newest || message.seq > this.#seqs.lastSeq) {
        throw unsound(`seq ${message.seq} is imported after ${this.#newest}`);
      }
      await this.#fillTo(message.seq - 1);
      if (this.#has(message.messageId)) throw messageAlreadyExists(message.messageId);
      if (message.seq < this.#seqs.firstSeq) this.#keep(message.seq);
      appendMessage(this.#core, this.#logNo, message);
      this.#newest = message.seq;
      this.#messageCount++;
      this.#tokenCount += message.tokenCount;
      await this.#wrote(message.bytes.length);
    }
    this.#core.writer.mark("copying");
  }

  async #publishAll<T>(
    target: Target,
    decide: (view: ImportView) => ImportDecision<T>,
  ): Promise<T> {
    await this.#admit();
    await this.#fillTo(this.#seqs.lastSeq);
    await this.#core.writer.whenFormingDurable(undefined);
    await this.#admit();
    const { writer } = this.#core;
    let decision: ImportDecision<T>;
    try {
      decision = decide({
        revision: nextRevision(this.#core, target.namespace),
        target: openSession(this.#core, target)?.pending?.session,
        reply: pendingReply(this.#core, target.namespace, target.requestId),
      });
    } catch (error) {
      // A refusal, too, may rest on changes that are not durable yet.
      await writer.whenFormingDurable(undefined);
      throw error;
    }
    if (decision.kind === "save") {
      const save: Save = decision;
      this.#check(save);
      const cached = openSession(this.#core, target) ?? this.#core.cache.add(target, null);
      const removal = removalOf(this.#core, cached);
      writer.whole(() =>
        this.#save(cached, removal, { ...save, requestId: target.requestId ?? "" }),
      );
      this.#published = true;
    }
    return writer.whenFormingDurable(decision.result);
  }

  // While one chunk is on its way to the disk the next is made, and no more than that: others wait
  // for the same commits.
  async #wrote(bytes: number): Promise<void> {
    this.#entries++;
    this.#bytes += bytes;
    if (this.#entries >= CHUNK_ENTRIES || this.#bytes >= CHUNK_BYTES) {
      this.#entries = 0;
      this.#bytes = 0;
      const { writer } = this.#core;
      writer.mark("copying");
      await this.#before;
      this.#before = writer.whenFormingDurable(undefined);
      // A failure is thrown where the chunk is waited for.
      this.#before.catch(() => undefined);
      await this.#admit();
    }
  }

  /** Every seq from the first on has an entry, with a message or not. */
  async #fillTo(seq: number): Promise<void> {
    for (let at = Math.max(this.#newest + 1, this.#seqs.firstSeq); at <= seq; at++) {
      putTombstone(this.#core, this.#logNo, at);
      this.#newest = at;
      await this.#wrote(0);
    }
  }

  #has(messageId: string): boolean {
    const core = this.#core;
    const logNo = this.#logNo;
    if (MESSAGE_ID.get(core, MESSAGE_ID.key(logNo, messageId), "pending") !== undefined) {
      return true;
    }
    const named = seqOfMessageId(messageId);
    if (named === undefined || named > this.#newest) return false;
    const entry = readEntry(core, logNo, named, "pending");
    return (
      entry !== undefined &&
      entry.messageNo !== 0 &&
      readStored(core, named, entry, "pending").messageId === messageId
    );
  }

  #keep(seq: number): void {
    const last = this.#kept.at(-1);
    if (last !== undefined && last.last === seq - 1) {
      this.#kept[this.#kept.length - 1] = { first: last.first, last: seq };
    } else {
      this.#kept.push({ first: seq, last: seq });
    }
  }

  #check({ events, head, fields, summaries = [] }: Save): void {
    checkEvents(events);
    checkHead(head);
    checkFields(fields);
    const newest = fields.summaryVersion;
    checkSummaries(this.#core, { put: summaries }, { newest, logNo: undefined });
    if (
      head.firstSeq !== this.#seqs.firstSeq ||
      head.lastSeq !== this.#seqs.lastSeq ||
      head.log.messageCount !== this.#messageCount ||
      head.log.tokenCount !== this.#tokenCount
    ) {
      throw new Error("The head of an import does not match what was imported.");
    }
  }

  #save(
    cached: CachedSession,
    removal: Removal,
    save: Save & { readonly requestId: string },
  ): void {
    const core = this.#core;
    const kept = this.#kept;
    const logNo = this.#logNo;
    const { fields, head, requestId } = save;
    const { memtable, writer } = core;
    removeSession(core, cached, removal);
    const sessionNo = writer.nextSessionNo++;
    const session = { ...cached.ref, fields, head };
    saveFields(core, sessionNo, undefined, session);
    saveExpiry(core, sessionNo, undefined, session);
    saveSummaries(core, logNo, { put: save.summaries ?? [] });
    memtable.set(PURGE.key(logNo), null);
    if (kept.length > 0) {
      KEPT.put({ memtable }, KEPT.key(logNo), kept);
    }
    // The past of the window is not known: up to the first seq it was what a reset kept, then
    // everything. Only the newest is as it was.
    for (const [seq, ranges] of [
      [head.firstSeq - 1, kept],
      [head.lastSeq, head.windowRanges],
    ] as const) {
      PAST_WINDOW.put({ memtable }, PAST_WINDOW.key(logNo, seq), ranges);
    }
    const log = { sessionNo, logNo, window: undefined, edits: 0 };
    cached.setState(writer, { ...log, session });
    finishChange(core, { namespace: session.namespace, requestId }, save, aboutSession(session));
  }
}
