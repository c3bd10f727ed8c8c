// AppendMessages: the write that everything else is built around. One transaction holds the
// messages, the trims that follow, their events, and the answer for the request id.

import {
  lastSeqMismatch,
  messageAlreadyExists,
  requestInvalid,
  sessionNotFound,
} from "../domain/errors.ts";
import { etagOf } from "../domain/etag.ts";
import { EVENT_TYPE } from "../domain/event.ts";
import { makeMessageId } from "../domain/ids.ts";
import { LIMITS } from "../domain/limits.ts";
import type { TokenRule } from "../domain/policy.ts";
import type { Session } from "../domain/session.ts";
import { needsTrim } from "../domain/window/needs-trim.ts";
import { addRange } from "../domain/window/ranges.ts";
import { addTotals, totalsOf } from "../domain/window/totals.ts";
import { ROLE, type WindowTotals } from "../domain/window/types.ts";
import type { NewMessage, SessionDecision, SessionView } from "../storage/store.ts";
import type { AppendInput, Call, MessageDraft } from "./api.ts";
import { changeSession, replyPart } from "./change.ts";
import type { ServiceContext } from "./context.ts";
import { newEvents } from "./new-events.ts";
import { newSession } from "./new-session.ts";
import { applyPolicy, trimEvents, type WindowChange } from "./window-change.ts";

const RANDOM_BYTES = 10;
const VIOLATIONS_MAX = 20;

/** Asks for the drafts to be counted by another rule before deciding again. */
interface NeedCount {
  readonly needCount: { readonly rule: TokenRule; readonly imageTokenCount: number };
}

/** What stays the same however often an append is decided. */
interface Append {
  readonly context: ServiceContext;
  readonly call: Call;
  readonly input: AppendInput;
  readonly nowMs: number;
  /** Random bytes for the ids the server makes. */
  readonly random: Uint8Array;
  /** The counts of the drafts, and by which rule; empty before the first count. */
  counts: { readonly rule: TokenRule; readonly imageTokenCount: number; readonly of: number[] };
  /** The messages as encoded for a revision, kept over a second decision. */
  encoded: { readonly revision: number; readonly messages: readonly NewMessage[] } | undefined;
}

/** Appends messages to a session and trims its window. */
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
    counts: { rule: "given", imageTokenCount: 0, of: [] },
    encoded: undefined,
  };
  const target = { namespace: input.namespace, sessionId: input.sessionId, messageIds };
  for (;;) {
    const result = await changeSession<NeedCount>(context, call, target, (view) =>
      decideAppend(append, view),
    );
    if (result instanceof Uint8Array) return result;
    const { rule, imageTokenCount } = result.needCount;
    const of = await context.tokens.countAll(input.drafts, rule, imageTokenCount);
    append.counts = { rule, imageTokenCount, of };
  }
}

function decideAppend(append: Append, view: SessionView): SessionDecision<NeedCount | Uint8Array> {
  const { input } = append;
  const session = view.session ?? sessionToCreate(append, view);
  const { head } = session;
  for (const draft of input.drafts) {
    if (draft.messageId !== "" && view.messages.has(draft.messageId)) {
      throw messageAlreadyExists(draft.messageId);
    }
  }
  if (input.expectedLastSeq !== undefined && input.expectedLastSeq !== head.lastSeq) {
    throw lastSeqMismatch(input.expectedLastSeq, head.lastSeq);
  }
  const { tokenRule, imageTokenCount } = session.fields.policy;
  if (tokenRule === "given") checkGiven(input.drafts);
  if (!hasCounts(append, tokenRule, imageTokenCount)) {
    return { kind: "answer", result: { needCount: { rule: tokenRule, imageTokenCount } } };
  }
  const messages = encodeAll(append, session, view.revision);
  const appended = totalsOf(messages);
  const before = addTotals(head.window, appended);
  const first = head.lastSeq + 1;
  const last = head.lastSeq + messages.length;
  const ranges = addRange(head.windowRanges, { first, last });
  let change: WindowChange | undefined;
  if (view.window !== undefined) {
    const known = { totals: before, pairedTo: view.window.length };
    change = applyPolicy([...view.window, ...messages], ranges, session.fields.policy, known);
  } else if (mustLook(append, session, before)) {
    return { kind: "need-window" };
  }
  return plan(append, view, session, { messages, appended, before, ranges, change });
}

/** Refuses drafts that do not bring the count that TOKEN_RULE_GIVEN asks for. */
function checkGiven(drafts: readonly MessageDraft[]): void {
  const violations = drafts.flatMap((draft, index) => {
    if (draft.tokenCount !== undefined) return [];
    const description = "must be given under the policy's TOKEN_RULE_GIVEN";
    return [{ field: `messages[${index}].token_count`, description }];
  });
  if (violations.length > 0) throw requestInvalid(violations.slice(0, VIOLATIONS_MAX));
}

/** Whether the window must be loaded to decide what this append does to it. */
function mustLook(append: Append, session: Session, after: WindowTotals): boolean {
  return (
    append.input.drafts.some((draft) => draft.role === ROLE.tool) ||
    needsTrim(session.fields.policy, after)
  );
}

/** Whether the drafts are counted by this rule; counts at once what needs no waiting. */
function hasCounts(append: Append, rule: TokenRule, imageTokenCount: number): boolean {
  const { counts, context, input } = append;
  if (counts.of.length > 0 && counts.rule === rule && counts.imageTokenCount === imageTokenCount) {
    return true;
  }
  const of = context.tokens.countNow(input.drafts, rule, imageTokenCount);
  if (of === undefined) return false;
  append.counts = { rule, imageTokenCount, of };
  return true;
}

function sessionToCreate(append: Append, view: SessionView): Session {
  const { input, nowMs } = append;
  if (!input.createSession) throw sessionNotFound(input.sessionId);
  return newSession(input, {}, { nowMs, revision: view.revision });
}

function encodeAll(append: Append, session: Session, revision: number): readonly NewMessage[] {
  if (append.encoded?.revision === revision) return append.encoded.messages;
  let unnamed = 0;
  const messages = append.input.drafts.map((draft, index) => {
    const seq = session.head.lastSeq + 1 + index;
    let { messageId } = draft;
    if (messageId === "") {
      const start = unnamed * RANDOM_BYTES;
      messageId = makeMessageId(seq, append.random.subarray(start, start + RANDOM_BYTES));
      unnamed += 1;
    }
    return encodeOne(append, draft, { index, seq, messageId, session, revision });
  });
  append.encoded = { revision, messages };
  return messages;
}

function encodeOne(
  append: Append,
  draft: MessageDraft,
  at: { index: number; seq: number; messageId: string; session: Session; revision: number },
): NewMessage {
  const { messageId, seq } = at;
  const tokenCount = append.counts.of[at.index] ?? 0;
  const bytes = append.context.codec.encodeMessage(draft, {
    messageId,
    seq,
    tokenCount,
    tokenRule: draft.tokenCount === undefined ? at.session.fields.policy.tokenRule : "given",
    writer: append.call.writer,
    createMs: append.nowMs,
    updateMs: append.nowMs,
    etag: etagOf(at.revision),
  });
  checkMessageSize(bytes, `messages[${at.index}]`);
  return {
    seq,
    messageId,
    role: draft.role,
    callIds: draft.callIds,
    toolCallId: draft.toolCallId,
    tokenCount,
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

interface Outcome {
  readonly messages: readonly NewMessage[];
  readonly appended: WindowTotals;
  /** The window with the messages, before any trim. */
  readonly before: WindowTotals;
  readonly ranges: Session["head"]["windowRanges"];
  /** Unset when the window did not have to be looked at: nothing leaves it. */
  readonly change: WindowChange | undefined;
}

function plan(
  append: Append,
  view: SessionView,
  session: Session,
  outcome: Outcome,
): SessionDecision<Uint8Array> {
  const { context, call, input, nowMs } = append;
  const { messages, appended, before, change } = outcome;
  const { revision } = view;
  const lastSeq = session.head.lastSeq + messages.length;
  const trims = change?.trims ?? [];
  const window = change?.totals ?? before;
  const isNew = view.session === undefined;
  const events = newEvents(context, { session, revision, nowMs, requestId: call.requestId }, [
    ...(isNew ? [{ type: EVENT_TYPE.sessionCreated }] : []),
    {
      type: EVENT_TYPE.messagesAppended,
      messageIds: messages.map((message) => message.messageId),
      seqs: { first: session.head.lastSeq + 1, last: lastSeq },
      appended,
      window: before,
    },
    ...trimEvents(trims),
  ]);
  const bytes = input.encode({ messages, revision, trims, window, lastSeq });
  return {
    kind: "save",
    result: bytes,
    plan: {
      ...(isNew ? { fields: session.fields } : {}),
      head: {
        ...session.head,
        lastSeq,
        log: {
          messageCount: session.head.log.messageCount + appended.messageCount,
          tokenCount: session.head.log.tokenCount + appended.tokenCount,
        },
        window,
        windowRanges: change?.ranges ?? outcome.ranges,
        updateMs: nowMs,
        revision,
      },
      append: messages,
      ...(change === undefined ? {} : { window: change.window as readonly NewMessage[] }),
      windowTrimmed: trims.length > 0,
      events,
      ...replyPart(call, nowMs, bytes),
    },
  };
}
