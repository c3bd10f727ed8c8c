// Logs that come from outside. Like the copy of a log, such a log is written in bounded chunks
// under a number that no session has, guarded by a purge record, so that upkeep erases what a crash
// or an abandoned import left. Publishing removes the guard and makes the session, in one
// transaction.

import { AppError, messageAlreadyExists } from "../../domain/errors.ts";
import { seqOfMessageId } from "../../domain/ids.ts";
import type { SessionRef } from "../../domain/session.ts";
import type { SeqRange } from "../../domain/window/types.ts";
import type { ImportDecision, ImportView, LogImport, NewMessage } from "../store.ts";
import type { CachedSession } from "./cache.ts";
import { type Removal, removalOf, removeSession, saveExpiry, saveFields } from "./change.ts";
import { decodeNumber, encodePurge, encodeRanges } from "./codec.ts";
import type { CopyContext } from "./copy.ts";
import { type Core, readIndex } from "./core.ts";
import { idKey, keptKey, purgeKey, windowKey } from "./keys.ts";
import { appendMessage, putTombstone } from "./log-writes.ts";
import { readEntry, readStored } from "./messages.ts";
import { checkEvents, checkFields, checkHead, unsound } from "./plan-check.ts";
import { finishChange, pendingReply } from "./replies.ts";
import { nextRevision } from "./revisions.ts";
import { openSession } from "./sessions.ts";
import { checkSummaries, saveSummaries } from "./summaries.ts";

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
  private readonly context: CopyContext;
  private readonly core: Core;
  private readonly seqs: Seqs;
  private readonly logNo: number;
  private readonly kept: SeqRange[] = [];
  private messageCount = 0;
  private tokenCount = 0;
  private newest = 0;
  private entries = 0;
  private bytes = 0;
  private published = false;
  private abandoned = false;
  /** A step is under way, after which nothing more is written. */
  private busy = false;
  /** Settles when the chunk before the one being written is durable. */
  private before: Promise<unknown> = Promise.resolve();

  constructor(context: CopyContext, seqs: Seqs) {
    this.context = context;
    this.core = context.core;
    this.seqs = seqs;
    this.logNo = context.core.writer.nextLogNo++;
    context.copying.add(this.logNo);
    const guard = purgeKey(this.logNo);
    this.core.memtable.set(guard, encodePurge(guard, 1, Math.max(1, seqs.lastSeq)));
  }

  add(messages: readonly NewMessage[]): Promise<void> {
    return this.step(() => this.addAll(messages));
  }

  publish<T>(target: Target, decide: (view: ImportView) => ImportDecision<T>): Promise<T> {
    return this.step(() => this.publishAll(target, decide));
  }

  abandon(): void {
    this.abandoned = true;
    this.release();
  }

  // Upkeep must not erase a log while it is still written to, or even made a session's.
  private async step<T>(run: () => Promise<T>): Promise<T> {
    this.busy = true;
    try {
      return await run();
    } finally {
      this.busy = false;
      this.release();
    }
  }

  private release(): void {
    if (this.published || (this.abandoned && !this.busy)) {
      this.context.copying.delete(this.logNo);
    }
  }

  /** Waits for room; an import that was given up goes no further. */
  private async admit(): Promise<void> {
    await this.context.admit();
    if (this.abandoned) {
      throw new AppError("SHUTTING_DOWN", "The import was given up.");
    }
  }

  private async addAll(messages: readonly NewMessage[]): Promise<void> {
    await this.admit();
    for (const message of messages) {
      if (message.seq <= this.newest || message.seq > this.seqs.lastSeq) {
        throw unsound(`seq ${message.seq} is imported after ${this.newest}`);
      }
      await this.fillTo(message.seq - 1);
      if (this.has(message.messageId)) {
        throw messageAlreadyExists(message.messageId);
      }
      if (message.seq < this.seqs.firstSeq) {
        this.keep(message.seq);
      }
      appendMessage(this.core, this.logNo, message);
      this.newest = message.seq;
      this.messageCount++;
      this.tokenCount += message.tokenCount;
      await this.wrote(message.bytes.length);
    }
    this.core.writer.mark("copying");
  }

  private async publishAll<T>(
    target: Target,
    decide: (view: ImportView) => ImportDecision<T>,
  ): Promise<T> {
    await this.admit();
    await this.fillTo(this.seqs.lastSeq);
    await this.core.writer.whenFormingDurable(undefined);
    await this.admit();
    const { writer } = this.core;
    let decision: ImportDecision<T>;
    try {
      decision = decide({
        revision: nextRevision(this.core, target.namespace),
        target: openSession(this.core, target)?.pending?.session,
        reply: pendingReply(this.core, target.namespace, target.requestId),
      });
    } catch (error) {
      // A refusal, too, may rest on changes that are not durable yet.
      await writer.whenFormingDurable(undefined);
      throw error;
    }
    if (decision.kind === "save") {
      const save: Save = decision;
      this.check(save);
      const cached = openSession(this.core, target) ?? this.core.cache.add(target, null);
      const removal = removalOf(this.core, cached);
      writer.whole(() =>
        this.save(cached, removal, { ...save, requestId: target.requestId ?? "" }),
      );
      this.published = true;
    }
    return writer.whenFormingDurable(decision.result);
  }

  // While one chunk is on its way to the disk the next is made, and no more than that: others wait
  // for the same commits.
  private async wrote(bytes: number): Promise<void> {
    this.entries++;
    this.bytes += bytes;
    if (this.entries >= CHUNK_ENTRIES || this.bytes >= CHUNK_BYTES) {
      this.entries = 0;
      this.bytes = 0;
      const { writer } = this.core;
      writer.mark("copying");
      await this.before;
      this.before = writer.whenFormingDurable(undefined);
      // A failure is thrown where the chunk is waited for.
      this.before.catch(() => undefined);
      await this.admit();
    }
  }

  /** Every seq from the first on has an entry, with a message or not. */
  private async fillTo(seq: number): Promise<void> {
    for (let at = Math.max(this.newest + 1, this.seqs.firstSeq); at <= seq; at++) {
      putTombstone(this.core, this.logNo, at);
      this.newest = at;
      await this.wrote(0);
    }
  }

  private has(messageId: string): boolean {
    const { core, logNo } = this;
    if (readIndex(core, idKey(logNo, messageId), "pending", decodeNumber) !== undefined) {
      return true;
    }
    const named = seqOfMessageId(messageId);
    if (named === undefined || named > this.newest) {
      return false;
    }
    const entry = readEntry(core, logNo, named, "pending");
    return (
      entry !== undefined &&
      entry.messageNo !== 0 &&
      readStored(core, named, entry, "pending").messageId === messageId
    );
  }

  private keep(seq: number): void {
    const last = this.kept.at(-1);
    if (last !== undefined && last.last === seq - 1) {
      this.kept[this.kept.length - 1] = { first: last.first, last: seq };
    } else {
      this.kept.push({ first: seq, last: seq });
    }
  }

  private check({ events, head, fields, summaries = [] }: Save): void {
    checkEvents(events);
    checkHead(head);
    checkFields(fields);
    const newest = fields.summaryVersion;
    checkSummaries(this.core, { put: summaries }, { newest, logNo: undefined });
    if (
      head.firstSeq !== this.seqs.firstSeq ||
      head.lastSeq !== this.seqs.lastSeq ||
      head.log.messageCount !== this.messageCount ||
      head.log.tokenCount !== this.tokenCount
    ) {
      throw new Error("The head of an import does not match what was imported.");
    }
  }

  private save(
    cached: CachedSession,
    removal: Removal,
    save: Save & { readonly requestId: string },
  ): void {
    const { core, kept, logNo } = this;
    const { fields, head, requestId } = save;
    const { memtable, writer } = core;
    removeSession(core, cached, removal);
    const sessionNo = writer.nextSessionNo++;
    const session = { ...cached.ref, fields, head };
    saveFields(core, sessionNo, undefined, session);
    saveExpiry(core, sessionNo, undefined, session);
    saveSummaries(core, logNo, { put: save.summaries ?? [] });
    memtable.set(purgeKey(logNo), null);
    if (kept.length > 0) {
      const key = keptKey(logNo);
      memtable.set(key, encodeRanges(key, kept));
    }
    // The past of the window is not known: up to the first seq it was what a reset kept, then
    // everything. Only the newest is as it was.
    for (const [seq, ranges] of [
      [head.firstSeq - 1, kept],
      [head.lastSeq, head.windowRanges],
    ] as const) {
      const key = windowKey(logNo, seq);
      memtable.set(key, encodeRanges(key, ranges));
    }
    const log = { sessionNo, logNo, window: undefined, edits: 0 };
    writer.setState(cached, { ...log, session });
    finishChange(core, { namespace: session.namespace, requestId }, save);
  }
}
