// Copies of a session's log. The log is copied in bounded chunks into a new log that belongs to no
// session yet; a purge record guards it from the first chunk on, so that upkeep erases the half of
// a copy that a crash or an abort left. Then the copy is published in one transaction, which
// removes the guard, if nothing of what was copied was changed meanwhile; else the copy starts
// over.

import { mark } from "../../erase/rules/erasure.ts";
import { AppError, recordCorrupt } from "../../kit/errors.ts";
import type { SeqRange } from "../../window/rules/types.ts";
import { readU64 } from "../engine/keys.ts";
import { rangeIndex, readAgain } from "../engine/reads.ts";
import type { CopyDecision, CopyView, SessionCopy, StoredEntry } from "../store.ts";
import { type CachedSession, PackedWindow, type SessionState } from "../tables/cache.ts";
import type { Core } from "../tables/core.ts";
import {
  appendMessage,
  denseEntries,
  denseRanges,
  putTombstone,
  readStored,
  readWindowAt,
  runsAt,
} from "../tables/messages.ts";
import { checkEvents, checkFields, checkHead } from "../tables/plan-check.ts";
import { finishChange, nextRevision, pendingReply } from "../tables/replies.ts";
import { KEPT, PAST_WINDOW, PURGE } from "../tables/session-tables.ts";
import { openSession } from "../tables/sessions.ts";
import { checkSummaries, saveSummaries } from "../tables/summaries.ts";
import { aboutSession, saveExpiry, saveFields } from "./change.ts";

const CHUNK_MESSAGES = 256;
const CHUNK_BYTES = 1_048_576;

type Copied = NonNullable<CopyView["copied"]>;

/** The context that copies share with upkeep. */
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
    if (first.kind === "answer") return settle(context.core, copy, first.result);
    if (first.kind === "save") throw new Error("A copy was to be published before it was made.");
    const attempt = new CopyAttempt(context, copy, first.atSeq);
    try {
      const outcome = await attempt.run(decide);
      if (outcome !== "changed") return outcome.result;
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
  readonly #context: CopyContext;
  readonly #core: Core;
  readonly #copy: SessionCopy;
  readonly #atSeq: number;
  readonly #logNo: number;
  #source: CachedSession | undefined;
  #base: SessionState | null = null;
  /** The runs of the source's window at the seq, as they were when the window was read. */
  #runs: readonly SeqRange[] = [];

  constructor(context: CopyContext, copy: SessionCopy, atSeq: number) {
    this.#context = context;
    this.#core = context.core;
    this.#copy = copy;
    this.#atSeq = atSeq;
    this.#logNo = context.core.writer.nextLogNo++;
    context.copying.add(this.#logNo);
    this.#source = openSession(this.#core, copy.source);
    if (this.#source !== undefined) this.#source.pins++;
  }

  end(): void {
    this.#context.copying.delete(this.#logNo);
    if (this.#source !== undefined) {
      this.#source.pins--;
      if (this.#source.committed === null) this.#core.cache.drop(this.#source);
    }
  }

  async run<T>(decide: (view: CopyView) => CopyDecision<T>): Promise<"changed" | { result: T }> {
    const base = this.#source?.pending ?? null;
    this.#base = base;
    if (base === null) throw new Error("A session that does not exist was to be copied.");
    // The source must be durable first.
    await this.#core.writer.whenFormingDurable(undefined);
    PURGE.put(this.#core, PURGE.key(this.#logNo), {
      nextSeq: 1,
      lastSeq: Math.max(1, this.#atSeq),
    });
    const copied = await this.#copyAll(base);
    if (copied === undefined || !this.#isUnchanged()) return "changed";
    const decision = decideOr(() => decide({ ...viewOf(this.#core, this.#copy), copied }));
    if (decision.kind === "refused") {
      await settle(this.#core, this.#copy, undefined);
      throw decision.error;
    }
    if (decision.kind === "answer") {
      return { result: await this.#core.writer.whenFormingDurable(decision.result) };
    }
    if (decision.kind === "copy") return "changed";
    this.#publish(decision, copied);
    return { result: await this.#core.writer.whenFormingDurable(decision.result) };
  }

  #isUnchanged(): boolean {
    const now = this.#source?.pending ?? null;
    return now !== null && now.logNo === this.#base?.logNo && now.edits === this.#base.edits;
  }

  // Undefined when the source was changed under the copy.
  async #copyAll(base: SessionState): Promise<Copied | undefined> {
    const totals = { messageCount: 0, tokenCount: 0 };
    const clip = { first: 1, last: this.#atSeq };
    for (const range of denseRanges(this.#core, base, clip, "committed")) {
      for (let seq = range.first; seq <= range.last; ) {
        await this.#nextChunk();
        if (!this.#isUnchanged()) return undefined;
        seq = await this.#copyChunk(base, { first: seq, last: range.last }, totals);
      }
    }
    await this.#nextChunk();
    if (!this.#isUnchanged()) return undefined;
    this.#copyKept(base);
    await this.#copyHistory(base);
    if (!this.#isUnchanged()) return undefined;
    const what = { state: base, seq: this.#atSeq };
    const at = await readWindowAt(this.#core, what, () => this.#isUnchanged());
    if (at === undefined) return undefined;
    this.#runs = at.ranges;
    return { log: totals, window: at.window };
  }

  async #nextChunk(): Promise<void> {
    if (this.#copy.signal?.aborted === true) {
      throw new AppError("DEADLINE_EXCEEDED", "The copy was canceled before it was published.", {
        cause: this.#copy.signal.reason,
      });
    }
    await this.#context.admit();
  }

  async #copyChunk(
    base: SessionState,
    range: SeqRange,
    totals: { messageCount: number; tokenCount: number },
  ): Promise<number> {
    const core = this.#core;
    const chunk = await readAgain(core, () => readChunk(core, base, range));
    for (const message of chunk.messages) {
      appendMessage(core, this.#logNo, message);
      totals.messageCount++;
      totals.tokenCount += message.tokenCount;
    }
    for (const seq of chunk.erased) {
      putTombstone(core, this.#logNo, seq);
    }
    core.writer.mark("copying");
    await core.writer.whenFormingDurable(undefined);
    return chunk.next;
  }

  #copyKept(base: SessionState): void {
    const { memtable } = this.#core;
    const kept = KEPT.get(this.#core, KEPT.key(base.logNo), "committed");
    if (kept !== undefined && base.session.head.firstSeq > 1) {
      const ranges = kept
        .filter((range) => range.first <= this.#atSeq)
        .map((range) => ({ first: range.first, last: Math.min(range.last, this.#atSeq) }));
      const key = KEPT.key(this.#logNo);
      if (ranges.length > 0) memtable.set(key, PAST_WINDOW.encode(key, ranges));
    }
  }

  async #copyHistory(base: SessionState): Promise<void> {
    const core = this.#core;
    let next: number | undefined = 0;
    while (next !== undefined) {
      const range: { start: string; end: string } = {
        start: PAST_WINDOW.key(base.logNo, next),
        end: PAST_WINDOW.key(base.logNo, this.#atSeq + 1),
      };
      let count = 0;
      next = undefined;
      for (const row of rangeIndex(core, "committed", range)) {
        const seq = readU64(row.key, 9);
        if (count >= CHUNK_MESSAGES) {
          next = seq;
          break;
        }
        PAST_WINDOW.put(core, PAST_WINDOW.key(this.#logNo, seq), PAST_WINDOW.decode(row.payload));
        count++;
      }
      await core.writer.whenFormingDurable(undefined);
      if (next !== undefined) await this.#nextChunk();
    }
  }

  #publish(decision: CopyDecision<unknown> & { readonly kind: "save" }, copied: Copied): void {
    const core = this.#core;
    const copy = this.#copy;
    const cached = openSession(core, copy.target) ?? core.cache.add(copy.target, null);
    const { fields, head } = decision;
    if (cached.pending !== null) {
      throw new Error("A copy was to be published over a session that exists.");
    }
    checkEvents(decision.events);
    checkHead(head);
    checkFields(fields);
    if (head.lastSeq !== this.#atSeq || head.log.messageCount !== copied.log.messageCount) {
      throw new Error("The head of a copy does not match what was copied.");
    }
    const summaries = { put: decision.summaries ?? [] };
    checkSummaries(core, summaries, { newest: fields.summaryVersion, logNo: undefined });
    const sessionNo = core.writer.nextSessionNo++;
    const session = { ...cached.ref, fields, head };
    saveFields(core, sessionNo, undefined, session);
    saveSummaries(core, this.#logNo, summaries);
    saveExpiry(core, sessionNo, undefined, session);
    core.memtable.set(PURGE.key(this.#logNo), null);
    const isWhole = copied.window.length === head.window.messageCount;
    const state = {
      sessionNo,
      logNo: this.#logNo,
      session,
      window: isWhole ? PackedWindow.of(copied.window) : undefined,
      edits: 0,
    };
    // The source may have been trimmed at this very seq after its history was copied.
    if (!isWhole || !isSame(runsAt(core, state, this.#atSeq), this.#runs)) {
      PAST_WINDOW.put(core, PAST_WINDOW.key(this.#logNo, this.#atSeq), head.windowRanges);
    }
    cached.setState(core.writer, state);
    finishChange(
      core,
      { namespace: copy.target.namespace, requestId: copy.requestId ?? "" },
      decision,
      [...aboutSession(session), mark.session(copy.source.sessionId)],
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
