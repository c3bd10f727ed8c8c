// Copies of a session's log. The log is copied in bounded chunks into a new log that belongs to no
// session yet; a purge record guards it from the first chunk on, so that upkeep erases the half of
// a copy that a crash or an abort left. Then the copy is published in one transaction, which
// removes the guard, if nothing of what was copied was changed meanwhile; else the copy starts
// over.

import { AppError, recordCorrupt } from "../../domain/errors.ts";
import type { SeqRange } from "../../domain/window/types.ts";
import type { CopyDecision, CopyView, SessionCopy, StoredEntry } from "../store.ts";
import { type CachedSession, type SessionState, WindowList } from "./cache.ts";
import { saveExpiry, saveFields } from "./change.ts";
import { decodeRanges, encodePurge, encodeRanges } from "./codec.ts";
import { type Core, rangeIndex, readAgain, readIndex } from "./core.ts";
import { keptKey, purgeKey, readU64, windowKey } from "./keys.ts";
import { appendMessage, putTombstone } from "./log-writes.ts";
import { denseEntries, denseRanges, readStored, runsAt } from "./messages.ts";
import { readWindowAt } from "./past-window.ts";
import { checkEvents, checkFields, checkHead } from "./plan-check.ts";
import { finishChange, pendingReply } from "./replies.ts";
import { nextRevision } from "./revisions.ts";
import { openSession } from "./sessions.ts";
import { checkSummaries, saveSummaries } from "./summaries.ts";

const CHUNK_MESSAGES = 256;
const CHUNK_BYTES = 1_048_576;

type Copied = NonNullable<CopyView["copied"]>;

/** What copies share with upkeep. */
export interface CopyContext {
  readonly core: Core;
  /** Logs that are being copied into, which upkeep leaves alone. */
  readonly copying: Set<number>;
  /** Waits for room for a change, and checks the free space. */
  readonly admit: () => Promise<void>;
}

/** Copies a session. */
export async function copySession<T>(
  context: CopyContext,
  copy: SessionCopy,
  decide: (view: CopyView) => CopyDecision<T>,
): Promise<T> {
  for (;;) {
    await context.admit();
    const first = decideOr(() => decide(viewOf(context.core, copy)));
    if (first.kind === "refused") {
      await settle(context.core, copy, undefined);
      throw first.error;
    }
    if (first.kind === "answer") {
      return settle(context.core, copy, first.result);
    }
    if (first.kind === "save") {
      throw new Error("A copy was to be published before it was made.");
    }
    const attempt = new CopyAttempt(context, copy, first.atSeq);
    try {
      const outcome = await attempt.run(decide);
      if (outcome !== "changed") {
        return outcome.result;
      }
    } finally {
      attempt.end();
    }
  }
}

function viewOf(core: Core, copy: SessionCopy): CopyView {
  return {
    revision: nextRevision(core, copy.target.namespace),
    source: openSession(core, copy.source)?.pending?.session,
    target: openSession(core, copy.target)?.pending?.session,
    reply: pendingReply(core, copy.target.namespace, copy.requestId),
  };
}

// An answer may rest on changes that are not durable yet.
async function settle<T>(core: Core, copy: SessionCopy, result: T): Promise<T> {
  const source = core.cache.get(copy.source);
  const target = core.cache.get(copy.target);
  if (source?.busy === true || target?.busy === true || copy.requestId !== undefined) {
    return core.writer.whenFormingDurable(result);
  }
  return result;
}

// So may a refusal, which must not be thrown at once; what is saved must be saved at once.
function decideOr<T>(decide: () => T): T | { readonly kind: "refused"; readonly error: unknown } {
  try {
    return decide();
  } catch (error) {
    return { kind: "refused", error };
  }
}

class CopyAttempt {
  private readonly context: CopyContext;
  private readonly core: Core;
  private readonly copy: SessionCopy;
  private readonly atSeq: number;
  private readonly logNo: number;
  private source: CachedSession | undefined;
  private base: SessionState | null = null;
  /** The runs of the source's window at the seq, as they were when the window was read. */
  private runs: readonly SeqRange[] = [];

  constructor(context: CopyContext, copy: SessionCopy, atSeq: number) {
    this.context = context;
    this.core = context.core;
    this.copy = copy;
    this.atSeq = atSeq;
    this.logNo = context.core.writer.nextLogNo++;
    context.copying.add(this.logNo);
    this.source = openSession(this.core, copy.source);
    if (this.source !== undefined) {
      this.source.pins++;
    }
  }

  end(): void {
    this.context.copying.delete(this.logNo);
    if (this.source !== undefined) {
      this.source.pins--;
      if (this.source.committed === null) {
        this.core.cache.drop(this.source);
      }
    }
  }

  async run<T>(decide: (view: CopyView) => CopyDecision<T>): Promise<"changed" | { result: T }> {
    const base = this.source?.pending ?? null;
    this.base = base;
    if (base === null) {
      throw new Error("A session that does not exist was to be copied.");
    }
    // What is copied must be durable first.
    await this.core.writer.whenFormingDurable(undefined);
    const guard = purgeKey(this.logNo);
    this.core.memtable.set(guard, encodePurge(guard, 1, Math.max(1, this.atSeq)));
    const copied = await this.copyAll(base);
    if (copied === undefined || !this.isUnchanged()) {
      return "changed";
    }
    const decision = decideOr(() => decide({ ...viewOf(this.core, this.copy), copied }));
    if (decision.kind === "refused") {
      await settle(this.core, this.copy, undefined);
      throw decision.error;
    }
    if (decision.kind === "answer") {
      return { result: await this.core.writer.whenFormingDurable(decision.result) };
    }
    if (decision.kind === "copy") {
      return "changed";
    }
    this.publish(decision, copied);
    return { result: await this.core.writer.whenFormingDurable(decision.result) };
  }

  private isUnchanged(): boolean {
    const now = this.source?.pending ?? null;
    return now !== null && now.logNo === this.base?.logNo && now.edits === this.base.edits;
  }

  // Undefined when the source was changed under the copy.
  private async copyAll(base: SessionState): Promise<Copied | undefined> {
    const totals = { messageCount: 0, tokenCount: 0 };
    const clip = { first: 1, last: this.atSeq };
    for (const range of denseRanges(this.core, base, clip, "committed")) {
      for (let seq = range.first; seq <= range.last; ) {
        await this.nextChunk();
        if (!this.isUnchanged()) {
          return undefined;
        }
        seq = await this.copyChunk(base, { first: seq, last: range.last }, totals);
      }
    }
    await this.nextChunk();
    if (!this.isUnchanged()) {
      return undefined;
    }
    this.copyKept(base);
    await this.copyHistory(base);
    if (!this.isUnchanged()) {
      return undefined;
    }
    const what = { state: base, seq: this.atSeq };
    const at = await readWindowAt(this.core, what, () => this.isUnchanged());
    if (at === undefined) {
      return undefined;
    }
    this.runs = at.ranges;
    return { log: totals, window: at.window };
  }

  private async nextChunk(): Promise<void> {
    if (this.copy.signal?.aborted === true) {
      throw new AppError("DEADLINE_EXCEEDED", "The copy was canceled before it was published.", {
        cause: this.copy.signal.reason,
      });
    }
    await this.context.admit();
  }

  private async copyChunk(
    base: SessionState,
    range: SeqRange,
    totals: { messageCount: number; tokenCount: number },
  ): Promise<number> {
    const { core } = this;
    const chunk = await readAgain(core, () => readChunk(core, base, range));
    for (const message of chunk.messages) {
      appendMessage(core, this.logNo, message);
      totals.messageCount++;
      totals.tokenCount += message.tokenCount;
    }
    for (const seq of chunk.erased) {
      putTombstone(core, this.logNo, seq);
    }
    core.writer.mark("copying");
    await core.writer.whenFormingDurable(undefined);
    return chunk.next;
  }

  private copyKept(base: SessionState): void {
    const { memtable } = this.core;
    const kept = readIndex(this.core, keptKey(base.logNo), "committed", decodeRanges);
    if (kept !== undefined && base.session.head.firstSeq > 1) {
      const ranges = kept
        .filter((range) => range.first <= this.atSeq)
        .map((range) => ({ first: range.first, last: Math.min(range.last, this.atSeq) }));
      const key = keptKey(this.logNo);
      if (ranges.length > 0) {
        memtable.set(key, encodeRanges(key, ranges));
      }
    }
  }

  private async copyHistory(base: SessionState): Promise<void> {
    const { core } = this;
    let next: number | undefined = 0;
    while (next !== undefined) {
      const range: { start: string; end: string } = {
        start: windowKey(base.logNo, next),
        end: windowKey(base.logNo, this.atSeq + 1),
      };
      let count = 0;
      next = undefined;
      for (const row of rangeIndex(core, "committed", range)) {
        const seq = readU64(row.key, 9);
        if (count >= CHUNK_MESSAGES) {
          next = seq;
          break;
        }
        const key = windowKey(this.logNo, seq);
        core.memtable.set(key, encodeRanges(key, decodeRanges(row.payload)));
        count++;
      }
      await core.writer.whenFormingDurable(undefined);
      if (next !== undefined) {
        await this.nextChunk();
      }
    }
  }

  private publish(
    decision: CopyDecision<unknown> & { readonly kind: "save" },
    copied: Copied,
  ): void {
    const { core, copy } = this;
    const cached = openSession(core, copy.target) ?? core.cache.add(copy.target, null);
    const { fields, head } = decision;
    if (cached.pending !== null) {
      throw new Error("A copy was to be published over a session that exists.");
    }
    checkEvents(decision.events);
    checkHead(head);
    checkFields(fields);
    if (head.lastSeq !== this.atSeq || head.log.messageCount !== copied.log.messageCount) {
      throw new Error("The head of a copy does not match what was copied.");
    }
    const summaries = { put: decision.summaries ?? [] };
    checkSummaries(core, summaries, { newest: fields.summaryVersion, logNo: undefined });
    const sessionNo = core.writer.nextSessionNo++;
    const session = { ...cached.ref, fields, head };
    saveFields(core, sessionNo, undefined, session);
    saveSummaries(core, this.logNo, summaries);
    saveExpiry(core, sessionNo, undefined, session);
    core.memtable.set(purgeKey(this.logNo), null);
    const isWhole = copied.window.length === head.window.messageCount;
    const state = {
      sessionNo,
      logNo: this.logNo,
      session,
      window: isWhole ? WindowList.of(copied.window) : undefined,
      edits: 0,
    };
    // The source may have been trimmed at this very seq after its history was copied.
    if (!isWhole || !isSame(runsAt(core, state, this.atSeq), this.runs)) {
      const key = windowKey(this.logNo, this.atSeq);
      core.memtable.set(key, encodeRanges(key, head.windowRanges));
    }
    core.writer.setState(cached, state);
    finishChange(
      core,
      { namespace: copy.target.namespace, requestId: copy.requestId ?? "" },
      decision,
    );
  }
}

function isSame(left: readonly SeqRange[], right: readonly SeqRange[]): boolean {
  return (
    left.length === right.length &&
    left.every(({ first, last }, i) => first === right[i]?.first && last === right[i]?.last)
  );
}

function readChunk(core: Core, base: SessionState, range: SeqRange) {
  const messages: StoredEntry[] = [];
  const erased: number[] = [];
  let bytes = 0;
  for (const { seq, entry } of denseEntries(core, base.logNo, range, "committed")) {
    if (messages.length + erased.length >= CHUNK_MESSAGES || bytes >= CHUNK_BYTES) {
      return { messages, erased, next: seq };
    }
    if (entry.messageNo === 0) {
      erased.push(seq);
    } else {
      const stored = readStored(core, seq, entry, "committed");
      bytes += stored.byteCount;
      messages.push(stored);
    }
  }
  if (messages.length + erased.length === 0) {
    throw recordCorrupt(`log ${base.logNo} has no entries where it should`);
  }
  return { messages, erased, next: range.last + 1 };
}
