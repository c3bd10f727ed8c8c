// Messages of an append as they are stored.

import { changeSession, replyPart } from "../core/change.ts";
import type { Codec, MessageDraft } from "../core/codec.ts";
import type { ServiceContext } from "../core/context.ts";
import { newEvents } from "../core/new-events.ts";
import type { EpisodeInput, MemoryBase, MemoryPart, MemorySide } from "../core/participants.ts";
import { withInput, withoutOutcomes, withTurnEnd } from "../core/policy-state.ts";
import { changeWindow, type Pass, planOf, type WindowChange } from "../core/window-change.ts";
import { sessionTotals, signalsOf } from "../core/window-view.ts";
import { EVENT_TYPE, type EventDetail } from "../events/rules/event.ts";
import type { Call } from "../kit/call.ts";
import {
  lastSeqMismatch,
  messageAlreadyExists,
  requestInvalid,
  sessionNotFound,
} from "../kit/errors.ts";
import { makeMessageId } from "../kit/ids.ts";
import { LIMITS } from "../kit/limits.ts";
import { readTurn, type TurnRead } from "../memory/learn/episode.ts";
import { givenByChange } from "../memory/learn/give.ts";
import { planRecords } from "../records/change-records.ts";
import type { NewMessage, SessionDecision, SessionPlan, SessionView } from "../store/store.ts";
import type { TokenRule } from "../window/policy/policy.ts";
import { type CountedRule, countedRule, isSameRule } from "../window/policy/token-rules.ts";
import { needsTrim } from "../window/rules/needs-trim.ts";
import { addRange } from "../window/rules/ranges.ts";
import { addTotals, totalsOf } from "../window/rules/trim.ts";
import { ROLE, type ToolOutcome, type WindowTotals } from "../window/rules/types.ts";
import type { AppendInput } from "./api.ts";
import { outcomesOf } from "./append-outcomes.ts";
import { mayAnswerFilled, withoutAnswered } from "./fill-tool-results.ts";
import type { Session, SessionHead } from "./rules/session.ts";
import { newSession } from "./sessions.ts";

/** The random bytes in one id that the server makes. */
export const RANDOM_BYTES = 10;

/** Common fields of the messages of an append. */
export interface EncodeAll {
  readonly codec: Codec;
  readonly drafts: readonly MessageDraft[];
  /** Token counts of the drafts. */
  readonly counts: readonly number[];
  readonly rule: TokenRule;
  /** Bytes for the ids that the server makes, RANDOM_BYTES each. */
  readonly random: Uint8Array;
  readonly writer: string;
  readonly nowMs: number;
  /** The newest seq before the append. */
  readonly lastSeq: number;
  readonly etag: string;
}

/** Encodes the messages of an append. Throws REQUEST_INVALID when one is too large. */
export function encodeAll(all: EncodeAll): readonly NewMessage[] {
  let unnamed = 0;
  return all.drafts.map((draft, index) => {
    const seq = all.lastSeq + 1 + index;
    let { messageId } = draft;
    if (messageId === "") {
      const start = unnamed * RANDOM_BYTES;
      messageId = makeMessageId(seq, all.random.subarray(start, start + RANDOM_BYTES));
      unnamed += 1;
    }
    return encodeOne(all, draft, { index, seq, messageId });
  });
}

function encodeOne(
  all: EncodeAll,
  draft: MessageDraft,
  at: { index: number; seq: number; messageId: string },
): NewMessage {
  const { messageId, seq } = at;
  const tokenCount = all.counts[at.index] ?? 0;
  const bytes = all.codec.encodeMessage(draft, {
    messageId,
    seq,
    tokenCount,
    tokenRule: draft.tokenCount === undefined ? all.rule : "given",
    writer: all.writer,
    createMs: all.nowMs,
    updateMs: all.nowMs,
    etag: all.etag,
  });
  checkMessageSize(bytes, `messages[${at.index}]`);
  return {
    seq,
    messageId,
    role: draft.role,
    callIds: draft.callIds,
    answers: draft.answers,
    isResult: draft.isResult,
    tokenCount,
    createMs: all.nowMs,
    byteCount: bytes.length,
    bytes,
  };
}

/** Refuses a message whose wire form is too large. */
export function checkMessageSize(bytes: Uint8Array, field: string): void {
  if (bytes.length <= LIMITS.messageBytes) return;
  const description = `takes ${bytes.length} bytes as stored; at most ${LIMITS.messageBytes} are allowed`;
  throw requestInvalid([{ field, description }]);
}

// AppendMessages: the write that everything else is built around. One transaction holds the
// messages, the trims that follow, their events, and the answer for the request id.

/** Asks for the drafts to be counted by another rule before deciding again. */
interface NeedCount {
  readonly needCount: CountedRule;
}

/** Input that stays the same however often an append is decided. */
interface Append {
  readonly context: ServiceContext;
  readonly call: Call;
  readonly input: AppendInput;
  readonly nowMs: number;
  /** Random bytes for the ids the server makes. */
  readonly random: Uint8Array;
  /** The counts of the drafts, and by which rule; undefined before the first count. */
  counts: { readonly rule: CountedRule; readonly of: readonly number[] } | undefined;
  /** The messages as encoded for a revision, kept over a second decision. */
  encoded: { readonly revision: number; readonly messages: readonly NewMessage[] } | undefined;
}

/**
 * Appends messages to a session, ends a turn if asked to, trims the window, and gives to long-term
 * memory.
 */
export async function appendMessages(
  context: ServiceContext,
  call: Call,
  input: AppendInput,
): Promise<Uint8Array> {
  const messageIds = input.drafts.map((draft) => draft.messageId).filter((id) => id !== "");
  const unnamed = input.drafts.length - messageIds.length;
  const append: Append = {
    context,
    call,
    input,
    nowMs: context.world.nowMs(),
    random: context.world.random(unnamed * RANDOM_BYTES),
    counts: undefined,
    encoded: undefined,
  };
  const { namespace, sessionId } = input;
  // One that exists already is enough to refuse, and a thousand can be very large.
  const target = { namespace, sessionId, messageIds, firstMessageOnly: true };
  for (;;) {
    const result = await changeSession<NeedCount>(context, call, target, (view) =>
      decideAppend(append, view),
    );
    if (result instanceof Uint8Array) return result;
    const rule = result.needCount;
    append.counts = { rule, of: await context.tokens.countAll(input.drafts, rule) };
  }
}

function decideAppend(append: Append, view: SessionView): SessionDecision<NeedCount | Uint8Array> {
  const { context, input } = append;
  const session = view.session ?? sessionToCreate(append, view);
  checkAppend(input, view, session);
  const { policy } = session.fields;
  if (policy.tokenRule === "given") checkGiven(input.drafts);
  const rule = countedRule(policy);
  const counts = countsBy(append, rule);
  if (counts === undefined) return { kind: "answer", result: { needCount: rule } };
  const messages = encoded(append, session, { counts, rule, revision: view.revision });
  const outcomes = outcomesOf(policy, {
    codec: context.codec,
    drafts: input.drafts,
    messages,
    window: view.window,
    given: input.toolOutcomes,
  });
  if (outcomes === "need-window") return { kind: "need-window" };
  const grown = growSession(append, session, { messages, outcomes, window: view.window });
  if (view.window === undefined && mustLook(append, grown)) return { kind: "need-window" };
  const turn = turnOf(append, view, grown);
  if (turn.kind === "need-messages") return turn;
  return plan(append, view, { ...grown, episode: turn.episode });
}

/** Checks what an append asks of the session and its messages. */
function checkAppend(input: AppendInput, view: SessionView, { head }: Session): void {
  for (const draft of input.drafts) {
    if (draft.messageId !== "" && view.messages.has(draft.messageId)) {
      throw messageAlreadyExists(draft.messageId);
    }
  }
  if (input.expectedLastSeq !== undefined && input.expectedLastSeq !== head.lastSeq) {
    throw lastSeqMismatch(input.expectedLastSeq, head.lastSeq);
  }
}

/** Refuses drafts that do not bring the count that TOKEN_RULE_GIVEN asks for. */
function checkGiven(drafts: readonly MessageDraft[]): void {
  const violations = drafts.flatMap((draft, index) => {
    if (draft.tokenCount !== undefined) return [];
    const description = "must be given under the policy's TOKEN_RULE_GIVEN";
    return [{ field: `messages[${index}].token_count`, description }];
  });
  if (violations.length > 0) throw requestInvalid(violations);
}

/** The counts of the drafts by a rule; undefined when they must be waited for. */
function countsBy(append: Append, rule: CountedRule): readonly number[] | undefined {
  const { counts, context, input } = append;
  if (counts !== undefined && isSameRule(counts.rule, rule)) return counts.of;
  const of = context.tokens.countNow(input.drafts, rule);
  if (of !== undefined) append.counts = { rule, of };
  return of;
}

function sessionToCreate(append: Append, view: SessionView): Session {
  const { input, nowMs } = append;
  // Without messages there is nothing to create a session for, and no turn that could end.
  if (!input.createSession || input.drafts.length === 0) throw sessionNotFound(input.sessionId);
  return newSession(input, {}, { nowMs, revision: view.revision });
}

function encoded(
  append: Append,
  session: Session,
  by: {
    readonly counts: readonly number[];
    readonly rule: CountedRule;
    readonly revision: number;
  },
): readonly NewMessage[] {
  const { revision } = by;
  if (append.encoded?.revision === revision) return append.encoded.messages;
  const messages = encodeAll({
    codec: append.context.codec,
    drafts: append.input.drafts,
    counts: by.counts,
    rule: by.rule.rule,
    random: append.random,
    writer: append.call.writer,
    nowMs: append.nowMs,
    lastSeq: session.head.lastSeq,
    etag: append.context.etags.of(revision),
  });
  append.encoded = { revision, messages };
  return messages;
}

/** A session with the messages of an append, before any stage runs. */
interface Grown {
  /** As stored before, or as it is created. */
  readonly old: Session;
  readonly session: Session;
  readonly messages: readonly NewMessage[];
  readonly appended: WindowTotals;
  /** The window with the messages and its inserts. */
  readonly before: WindowTotals;
  /** The outcomes of this append. */
  readonly outcomes: readonly ToolOutcome[];
}

/** With everything of the log that the append needs. */
interface Read extends Grown {
  /** Undefined when the append makes none. */
  readonly episode: EpisodeInput | undefined;
}

function growSession(
  append: Append,
  old: Session,
  added: Pick<Grown, "messages" | "outcomes"> & Pick<SessionView, "window">,
): Grown {
  const { messages, outcomes, window } = added;
  const { context, input } = append;
  const { head, fields } = old;
  const appended = totalsOf(messages);
  const lastSeq = head.lastSeq + messages.length;
  const run = { first: head.lastSeq + 1, last: lastSeq };
  const state = { modelInputTokens: input.modelInputTokens, outcomes };
  // A result that came takes the place of one that was made for its call.
  const inserts =
    window === undefined
      ? fields.inserts
      : withoutAnswered(fields.inserts, { window, messages }, context.codec);
  const session: Session = {
    ...old,
    fields: inserts === fields.inserts ? fields : { ...fields, inserts },
    head: {
      ...head,
      lastSeq,
      log: {
        messageCount: head.log.messageCount + appended.messageCount,
        tokenCount: head.log.tokenCount + appended.tokenCount,
      },
      window: addTotals(head.window, appended),
      windowRanges: messages.length === 0 ? head.windowRanges : addRange(head.windowRanges, run),
      policyState: withInput(head.policyState, fields.policy, state),
    },
  };
  return { old, session, messages, appended, before: sessionTotals(session), outcomes };
}

/** Whether the window must be loaded to decide what this append does to it. */
function mustLook(append: Append, grown: Grown): boolean {
  const { policy, inserts } = grown.session.fields;
  const { head } = grown.session;
  const { turnEnd, drafts } = append.input;
  const isOn = (on: string, name?: string): boolean =>
    policy.stages.some((stage) => stage.on === on && (name === undefined || stage.name === name));
  return (
    (turnEnd && isOn("turn-end")) ||
    mayAnswerFilled(inserts, grown.messages) ||
    // Results without their call never enter the window.
    (policy.toolPairing === "whole" &&
      drafts.some((draft) => draft.role === ROLE.tool || draft.answers.length > 0)) ||
    // A limit that was passed may hold again, which must be noticed.
    head.policyState.overLimit.some((name) => isOn("append", name)) ||
    needsTrim(policy, grown.before, signalsOf(grown.session, grown.outcomes))
  );
}

/** Whether the turn that this append ends becomes an episode. */
function makesEpisode(append: Append, { fields }: Session): boolean {
  return append.input.turnEnd && fields.memoryPolicy?.episodes !== undefined;
}

/** Text of the turn that this append ends, if it becomes an episode. */
function turnOf(append: Append, view: SessionView, { messages, old }: Grown): TurnRead {
  if (!makesEpisode(append, old)) return { kind: "read", episode: undefined };
  const { lastSeq, policyState } = old.head;
  const { turnEndSeq } = policyState;
  const before = { messagesAt: view.messagesAt, lastSeq, turnEndSeq };
  return readTurn(append.context.codec, messages, before);
}

/** Input of long-term memory from the messages, beside the trims. */
function memoryOf(append: Append, side: MemorySide, { messages, episode }: Read): MemoryBase {
  return {
    side,
    turn: { appended: messages, isEnd: append.input.turnEnd, episode },
  };
}

/** Runs the stages over a loaded window. */
function trimmed(append: Append, view: SessionView, grown: Read): WindowChange | undefined {
  const { context, input, nowMs } = append;
  const { window, revision } = view;
  if (window === undefined) return undefined;
  const { messages, session, before } = grown;
  const inserts = session.fields.inserts.length;
  const passes: Pass[] = [{ occasions: ["append"], outcomes: grown.outcomes }];
  if (input.turnEnd) passes.push({ occasions: ["turn-end"] });
  return changeWindow(
    context,
    {
      session,
      window: messages.length === 0 ? window : [...window, ...messages],
      stamp: { revision, nowMs },
      tasks: view.tasks,
      memory: memoryOf(append, view, grown),
      known: { totals: before, pairedTo: window.length + inserts },
    },
    passes,
  );
}

/** Events of the change itself, before those of the stages. */
function eventOf(append: Append, grown: Grown): EventDetail {
  const { messages, appended, before, old } = grown;
  if (append.input.drafts.length === 0) return { type: EVENT_TYPE.turnEnded, window: before };
  return {
    type: EVENT_TYPE.messagesAppended,
    messageIds: messages.map((message) => message.messageId),
    seqs: { first: old.head.lastSeq + 1, last: old.head.lastSeq + messages.length },
    appended,
    window: before,
  };
}

/** The head after a turn end. */
function endTurn(append: Append, session: Session, head: SessionHead): SessionHead {
  const state = withoutOutcomes(head.policyState);
  const isEpisode = makesEpisode(append, session);
  return { ...head, policyState: isEpisode ? withTurnEnd(state, head.lastSeq) : state };
}

/** Input of long-term memory when no stage runs. */
function givenAlone(append: Append, view: SessionView, grown: Read): MemoryPart | undefined {
  const { context, nowMs } = append;
  const stamp = { revision: view.revision, nowMs };
  const memory = memoryOf(append, view, grown);
  return givenByChange(context, { session: grown.session, stamp, memory }, []);
}

/** The operations on records; undefined without any. Their events follow those of the append. */
function recordsOf({ context, call, input, nowMs }: Append, view: SessionView, firstIndex: number) {
  const { namespace, recordOperations: operations } = input;
  if (operations.length === 0) return undefined;
  const records = view.records(operations.map(({ name }) => name));
  const at = { namespace, revision: view.revision, nowMs, firstIndex };
  return planRecords(context, call, at, { operations, records, isSeveral: true });
}

function plan(append: Append, view: SessionView, grown: Read): SessionDecision<Uint8Array> {
  const { context, call, input, nowMs } = append;
  const { session, messages, before } = grown;
  const { revision } = view;
  const change = trimmed(append, view, grown);
  const given = change === undefined ? givenAlone(append, view, grown) : change.given;
  const isNew = view.session === undefined;
  const own = newEvents(context, { session, revision, nowMs, requestId: call.requestId }, [
    ...(isNew ? [{ type: EVENT_TYPE.sessionCreated }] : []),
    eventOf(append, grown),
    ...(change?.events ?? given?.events ?? []),
  ]);
  const records = recordsOf(append, view, own.length);
  const bytes = input.encode({
    messages,
    revision,
    trims: change?.trims ?? [],
    window: change?.totals ?? before,
    lastSeq: session.head.lastSeq,
    runs: change?.runs ?? [],
    overLimit: change?.overLimit ?? false,
    ...(given === undefined ? {} : { given }),
    recordOutcomes: records?.outcomes ?? [],
  });
  const head = change?.head ?? { ...session.head, updateMs: nowMs, revision };
  const parts: SessionPlan = {
    ...(change === undefined ? given?.plan : planOf(view.session, change)),
    ...(isNew ? { fields: change?.fields ?? session.fields } : {}),
    head: input.turnEnd ? endTurn(append, session, head) : head,
    ...(messages.length === 0 ? {} : { append: messages }),
    ...(records === undefined
      ? {}
      : { records: { put: records.put, remove: records.remove, nowMs } }),
    events: [...own, ...(records?.events ?? [])],
    ...replyPart(call, nowMs, bytes),
  };
  return { kind: "save", result: bytes, plan: parts };
}
