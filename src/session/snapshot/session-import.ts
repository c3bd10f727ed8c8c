// A session on its way in: what a snapshot says is checked against what comes, its messages are put
// into a log of their own, and all of it becomes a session at the end or not at all. Totals are
// counted here, whatever the snapshot says. No stage of a policy runs.

import { eraseExpired, liveSession, replayOf, replyPart } from "../../core/change.ts";
import { checkMemoryHooks, checkPromotion } from "../../core/check-hooks.ts";
import type { ServiceContext } from "../../core/context.ts";
import { type EventOrigin, newEvents } from "../../core/new-events.ts";
import { underPolicy } from "../../core/policy-state.ts";
import { currentRecords } from "../../core/summary-records.ts";
import { checkCeiling } from "../../core/window-change.ts";
import { withInserts } from "../../core/window-view.ts";
import { EVENT_TYPE } from "../../events/rules/event.ts";
import type { Call } from "../../kit/call.ts";
import { AppError, sessionAlreadyExists, snapshotInvalid } from "../../kit/errors.ts";
import { LIMITS } from "../../kit/limits.ts";
import type {
  ImportDecision,
  ImportView,
  LogImport,
  NewEvent,
  NewMessage,
} from "../../store/store.ts";
import { checkHooks } from "../../summary/hand-over.ts";
import { containsSeq } from "../../window/rules/ranges.ts";
import { addTotals } from "../../window/rules/trim.ts";
import { ROLE, type SeqRange, type Totals, type WindowTotals } from "../../window/rules/types.ts";
import type { Session, SessionRef } from "../rules/session.ts";
import type { ImportedMessage, ImportedSession } from "./api.ts";

const ETAG_RANDOM_BYTES = 8;
const SLICE_MESSAGES = 256;
const SLICE_BYTES = 1_048_576;

/**
 * The most bytes that the writer and etag of an import add to those a message had: a window
 * at its ceiling, and a message at its limit, come back all the same. The next change holds the
 * ceiling again.
 */
const SERVER_FIELDS_BYTES = 32;
/** System messages that a reset kept: those of a window, and the oldest one. */
const KEPT_MAX = LIMITS.windowMessages + 1;

const NOTHING: WindowTotals = { messageCount: 0, tokenCount: 0, byteCount: 0 };

/** Ends an import. */
export interface ImportEnd {
  readonly target: SessionRef;
  readonly format: string;
  readonly replace: boolean;
  /**
   * The session to replace as it was read; published only if it is still the same. Unset when it
   * does not matter.
   */
  readonly seen?: { readonly etagRevision: number | undefined };
  readonly encode: (session: Session) => Uint8Array;
}

/** The session to replace was changed while its import was made. */
export class TargetChangedError extends Error {
  override readonly name = "TargetChangedError";
}

/** A session that is being imported. */
export class SessionImport {
  readonly session: ImportedSession;
  readonly #context: ServiceContext;
  readonly #log: LogImport;
  readonly #writer: string;
  /** Of all its messages: a state that no session of this store was ever in. */
  readonly #etag: string;
  #lastSeq = 0;
  /** Messages before the first seq, and from it on. */
  #kept = 0;
  #dense = 0;
  #totals = { messageCount: 0, tokenCount: 0 };
  #window = NOTHING;
  readonly #inserts: WindowTotals;
  readonly #insertIds: ReadonlySet<string>;
  readonly #summaries: readonly {
    readonly version: number;
    readonly ranges: readonly SeqRange[];
  }[];
  /** Messages so far that the summaries in use stand for, by version. */
  readonly #sources = new Map<number, Totals>();
  /** The run of the window that the next message may be in. */
  #range = 0;

  private constructor(
    context: ServiceContext,
    parts: { session: ImportedSession; log: LogImport; writer: string },
  ) {
    this.session = parts.session;
    this.#context = context;
    this.#log = parts.log;
    this.#writer = parts.writer;
    this.#etag = Buffer.from(context.world.random(ETAG_RANDOM_BYTES)).toString("hex");
    this.#inserts = withInserts(NOTHING, parts.session.fields.inserts);
    this.#insertIds = new Set(parts.session.fields.inserts.map(({ messageId }) => messageId));
    const { summary, inserts } = parts.session.fields;
    const placed = inserts.filter(({ kind }) => kind === "summary");
    this.#summaries = summary === undefined ? placed : [summary, ...placed];
    checkCeiling(this.#inserts);
  }

  /**
   * Starts an import. Throws WINDOW_FULL when what stands in the window is too much, and
   * HOOK_NOT_CONFIGURED when the policy needs what this server does not have, and
   * PROMOTION_POLICY_MISSING when a stage promotes and nothing says how.
   */
  static async start(
    context: ServiceContext,
    session: ImportedSession,
    writer: string,
  ): Promise<SessionImport> {
    const { firstSeq, lastSeq, fields } = session;
    checkHooks(context, fields.policy);
    checkMemoryHooks(context, fields.memoryPolicy);
    checkPromotion(fields);
    const log = await context.store.importLog({ firstSeq, lastSeq });
    try {
      return new SessionImport(context, { session, log, writer });
    } catch (error) {
      log.abandon();
      throw error;
    }
  }

  /**
   * Adds messages. Throws SNAPSHOT_INVALID and WINDOW_FULL; after any failure the import can only
   * be abandoned.
   */
  async add(count: number, message: (index: number) => ImportedMessage): Promise<void> {
    let slice: NewMessage[] = [];
    let bytes = 0;
    for (let index = 0; index < count; index++) {
      const stored = this.#store(message(index), index);
      slice.push(stored);
      bytes += stored.byteCount;
      if (slice.length >= SLICE_MESSAGES || bytes >= SLICE_BYTES) {
        await this.#write(slice, index - slice.length + 1);
        // Other calls get their turn.
        await new Promise((resolve) => setImmediate(resolve));
        slice = [];
        bytes = 0;
      }
    }
    await this.#write(slice, count - slice.length);
  }

  /**
   * Makes the session, or gives the answer that the request id had already. Throws
   * SESSION_ALREADY_EXISTS, and a TargetChangedError.
   */
  async publish(call: Call, end: ImportEnd): Promise<Uint8Array> {
    const { firstSeq, lastSeq } = this.session;
    this.#checkHoles(lastSeq + 1, "chunk.header.session.last_seq");
    if (firstSeq > lastSeq + 1) throw new Error("The seqs of an import were not checked.");
    await eraseExpired(this.#context, end.target);
    const { requestId } = call;
    return await this.#log.publish({ ...end.target, requestId }, (view) =>
      this.#decide(call, end, view),
    );
  }

  /** Gives the import up. */
  abandon(): void {
    this.#log.abandon();
  }

  #store({ draft, stamp }: ImportedMessage, index: number): NewMessage {
    const { seq, tokenCount, createMs } = stamp;
    const { codec } = this.#context;
    const field = `chunk.messages[${index}]`;
    if (seq <= this.#lastSeq || seq > this.session.lastSeq) {
      const description = `must be above ${this.#lastSeq} and at most ${this.session.lastSeq}`;
      throw snapshotInvalid([{ field: `${field}.seq`, description }]);
    }
    if (seq >= this.session.firstSeq) {
      this.#checkHoles(seq, `${field}.seq`);
      this.#dense += 1;
    } else if (draft.role !== ROLE.system || ++this.#kept > KEPT_MAX) {
      const which = `only ${KEPT_MAX} system messages, as a reset keeps them,`;
      const description = `lies before the first seq, where ${which} may be`;
      throw snapshotInvalid([{ field: `${field}.seq`, description }]);
    }
    if (this.#insertIds.has(stamp.messageId)) {
      const description = "is the id of what stands in the window besides";
      throw snapshotInvalid([{ field: `${field}.message_id`, description }]);
    }
    this.#lastSeq = seq;
    const bytes = codec.encodeMessage(draft, { ...stamp, writer: this.#writer, etag: this.#etag });
    if (bytes.length > LIMITS.messageBytes + SERVER_FIELDS_BYTES) {
      const description = `takes ${bytes.length} bytes as stored; at most ${LIMITS.messageBytes}`;
      throw snapshotInvalid([{ field, description }]);
    }
    this.#countSource(seq, tokenCount);
    const { messageCount, tokenCount: tokens } = this.#totals;
    this.#totals = { messageCount: messageCount + 1, tokenCount: tokens + tokenCount };
    if (this.#isInWindow(seq)) {
      const byteCount = bytes.length;
      this.#window = addTotals(this.#window, { messageCount: 1, tokenCount, byteCount });
      checkCeiling(addTotals(asItCame(this.#window), this.#inserts));
    }
    const { role, callIds, answers, isResult } = draft;
    const { messageId } = stamp;
    const facts = { messageId, role, callIds, answers, isResult, tokenCount, createMs };
    return { ...facts, seq, byteCount: bytes.length, bytes };
  }

  /** Every seq without a message takes room in the log: a snapshot must not ask for any number. */
  #checkHoles(seq: number, field: string): void {
    const holes = seq - this.session.firstSeq - this.#dense;
    if (holes <= LIMITS.importHoles) return;
    const description = `leaves more than ${LIMITS.importHoles} seqs without a message`;
    throw snapshotInvalid([{ field, description }]);
  }

  /** Adds a message to what the summaries in use stand for. */
  #countSource(seq: number, tokens: number): void {
    for (const { version, ranges } of this.#summaries) {
      if (!containsSeq(ranges, seq)) continue;
      const { messageCount, tokenCount } = this.#sources.get(version) ?? NOTHING;
      const sum = { messageCount: messageCount + 1, tokenCount: tokenCount + tokens };
      this.#sources.set(version, sum);
    }
  }

  #isInWindow(seq: number): boolean {
    const { windowRanges } = this.session;
    let range = windowRanges[this.#range];
    while (range !== undefined && range.last < seq) {
      this.#range += 1;
      range = windowRanges[this.#range];
    }
    return range !== undefined && range.first <= seq;
  }

  async #write(slice: readonly NewMessage[], from: number): Promise<void> {
    if (slice.length === 0) return;
    try {
      await this.#log.add(slice);
    } catch (error) {
      if (!(error instanceof AppError) || error.reason !== "MESSAGE_ALREADY_EXISTS") throw error;
      const id = error.detail.metadata?.["message_id"];
      const at = slice.findLastIndex(({ messageId }) => messageId === id);
      const field = `chunk.messages[${from + at}].message_id`;
      throw snapshotInvalid([{ field, description: "is the id of a message before it, too" }]);
    }
  }

  #decide(call: Call, end: ImportEnd, view: ImportView): ImportDecision<Uint8Array> {
    const context = this.#context;
    const replay = replayOf(context, call, view.reply);
    if (replay !== undefined) return { kind: "answer", result: replay };
    const old = liveSession(context, view.target);
    if (old !== undefined && !end.replace) throw sessionAlreadyExists(end.target.sessionId);
    const { seen } = end;
    if (seen !== undefined && seen.etagRevision !== old?.fields.etagRevision) {
      throw new TargetChangedError();
    }
    const { revision } = view;
    const nowMs = context.world.nowMs();
    const { fields, firstSeq, lastSeq, policyState, windowRanges } = this.session;
    const log = this.#totals;
    const session: Session = {
      ...end.target,
      fields: { ...fields, etagRevision: revision },
      head: {
        lastSeq,
        firstSeq,
        log,
        window: this.#window,
        windowRanges,
        // Marks of stages and tools that the policy does not have are dropped.
        policyState: underPolicy(policyState, fields.policy),
        // A ttl counts from the last change, and this is one: what is restored must not be gone.
        updateMs: fields.ttlMs === 0 ? this.session.updateMs : nowMs,
        revision,
      },
    };
    const bytes = end.encode(session);
    const origin = { session, revision, nowMs, requestId: call.requestId };
    const { messageCount, tokenCount } = addTotals(this.#window, this.#inserts);
    const window = { messageCount, tokenCount };
    const type = EVENT_TYPE.sessionImported;
    // Its time may have run out since expired sessions were erased: it is erased here then.
    const gone = view.target && { ...origin, session: view.target };
    const events = gone ? replacedEvents(context, gone, old ? "request" : "expired") : [];
    const imported = { ...origin, firstIndex: events.length };
    events.push(...newEvents(context, imported, [{ type, format: end.format, log, window }]));
    const known = { sources: (version: number) => this.#sources.get(version) };
    const summaries = currentRecords(session.fields, context.codec, known);
    const saved = { fields: session.fields, head: session.head, events, summaries };
    return { kind: "save", result: bytes, ...saved, ...replyPart(call, nowMs, bytes) };
  }
}

/** The size of a window before the server set its own fields. */
function asItCame(window: WindowTotals): WindowTotals {
  const byteCount = window.byteCount - window.messageCount * SERVER_FIELDS_BYTES;
  return { ...window, byteCount };
}

/** For those who follow the session that is replaced it is deleted. */
function replacedEvents(
  context: ServiceContext,
  origin: EventOrigin & { readonly session: Session },
  reason: "request" | "expired",
): NewEvent[] {
  const { log } = origin.session.head;
  return newEvents(context, origin, [{ type: EVENT_TYPE.sessionDeleted, reason, log }]);
}
