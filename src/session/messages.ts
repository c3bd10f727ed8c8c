// The use cases of single messages: list, get, update, delete.

import { isDeepStrictEqual } from "node:util";
import { changeSession, liveSession, replyPart } from "../core/change.ts";
import type { MergedMessage } from "../core/codec.ts";
import type { ServiceContext } from "../core/context.ts";
import { newEvents } from "../core/new-events.ts";
import { changeWindow, type Pass, planOf, type WindowChange } from "../core/window-change.ts";
import { sessionTotals } from "../core/window-view.ts";
import { EVENT_TYPE, type EventDetail } from "../events/rules/event.ts";
import { type Call, checkLive } from "../kit/call.ts";
import { etagMismatch, messageNotFound, requestInvalid, sessionNotFound } from "../kit/errors.ts";
import {
  type Erased,
  eraseMessage,
  eraseSome,
  erasureOf,
  joinedPlans,
} from "../memory/learn/erase-source.ts";
import type {
  MessagePage,
  NewMessage,
  SessionDecision,
  SessionPlan,
  SessionView,
  StoredEntry,
  StoredMessage,
} from "../store/store.ts";
import { afterMessage, planPart, type TaskEdit } from "../tasks/task-edits.ts";
import type { Policy, TokenRule } from "../window/policy/policy.ts";
import { countedRule } from "../window/policy/token-rules.ts";
import { containsSeq, removeSeqs } from "../window/rules/ranges.ts";
import type { Totals } from "../window/rules/types.ts";
import type { DeleteMessageInput, ListMessagesInput, UpdateMessageInput } from "./api.ts";
import { checkMessageSize } from "./append.ts";
import type { Session, SessionRef } from "./rules/session.ts";

/** Effect on memories of a message that still says the same. */
const NONE = { plan: undefined, events: [], side: undefined } as const;

/** Stages that run after a message was changed or deleted. */
const APPEND_STAGES: readonly Pass[] = [{ occasions: ["append"], outcomes: [] }];

/** Lists messages of a log. */
export async function listMessages(
  context: ServiceContext,
  call: Call,
  input: ListMessagesInput,
): Promise<MessagePage> {
  checkLive(call.signal);
  const session = liveSession(context, await context.store.readSession(input));
  if (session === undefined) throw sessionNotFound(input.sessionId);
  const { order, startSeq } = input;
  let firstSeq = Math.max(1, input.firstSeq);
  let lastSeq = Math.min(session.head.lastSeq, input.lastSeq === 0 ? Infinity : input.lastSeq);
  if (startSeq !== undefined) {
    if (order === "asc") firstSeq = Math.max(firstSeq, startSeq);
    else lastSeq = Math.min(lastSeq, startSeq);
  }
  if (firstSeq > lastSeq) return { messages: [], next: undefined };
  const page = await context.store.listMessages(input, {
    firstSeq,
    lastSeq,
    order,
    limit: input.limit,
    ...(input.roles === undefined ? {} : { roles: input.roles }),
  });
  if (page === undefined) throw sessionNotFound(input.sessionId);
  return page;
}

/** Gets a message, and whether it is in the stored window. */
export async function getMessage(
  context: ServiceContext,
  call: Call,
  input: SessionRef & { readonly messageId: string },
): Promise<{ message: StoredMessage; inWindow: boolean }> {
  checkLive(call.signal);
  const session = liveSession(context, await context.store.readSession(input));
  if (session === undefined) throw sessionNotFound(input.sessionId);
  const message = await context.store.readMessage(input, input.messageId);
  if (message === undefined) throw messageNotFound(input.messageId);
  return { message, inWindow: containsSeq(session.head.windowRanges, message.seq) };
}

/** So many memories name the message that some must lose it before the change. */
interface ManyMemories {
  readonly session: Session;
}

/** Asks for a count by another rule before deciding again. */
interface NeedCount {
  readonly merged: MergedMessage;
  readonly policy: Policy;
}

/** Changes a message in place. */
export async function updateMessage(
  context: ServiceContext,
  call: Call,
  input: UpdateMessageInput,
): Promise<Uint8Array> {
  const nowMs = context.world.nowMs();
  const { namespace, sessionId, messageId } = input;
  const target = { namespace, sessionId, messageIds: [messageId], needWindow: true };
  // Exact counts, by the text they stand for, so that a second decision finds them.
  const counts = new Map<string, number>();
  for (;;) {
    const result = await changeSession<NeedCount | ManyMemories>(context, call, target, (view) =>
      decideUpdate({ context, call, input, nowMs, counts }, view),
    );
    if (result instanceof Uint8Array) return result;
    if ("session" in result) {
      await eraseSome(context, result.session, messageId);
      continue;
    }
    const { merged, policy } = result;
    const [count] = await context.tokens.countAll([merged.draft], countedRule(policy));
    counts.set(countKey(merged, policy), count ?? 0);
  }
}

function countKey(merged: MergedMessage, policy: Policy): string {
  return `${JSON.stringify(countedRule(policy))} ${merged.stamp.etag}`;
}

interface MessageUpdate {
  readonly context: ServiceContext;
  readonly call: Call;
  readonly input: UpdateMessageInput;
  readonly nowMs: number;
  readonly counts: ReadonlyMap<string, number>;
}

function decideUpdate(
  update: MessageUpdate,
  view: SessionView,
): SessionDecision<NeedCount | ManyMemories | Uint8Array> {
  const { context, call, input, nowMs } = update;
  const { session, old } = existing(view, input);
  const merged = context.codec.mergeMessage(old.bytes, input.draft, input.paths);
  if (input.etag !== "" && input.etag !== merged.stamp.etag) throw etagMismatch();
  const policy = session.fields.policy;
  if (input.paths.length === 0) {
    const window = sessionTotals(session);
    const answer = { message: old.bytes, revision: 0, trims: [], window };
    return { kind: "answer", result: input.encode(answer) };
  }
  const tokens = newCount(update, merged, policy);
  if (tokens === undefined) return { kind: "answer", result: { merged, policy } };
  const message = encodeUpdate(update, view, old, { merged, ...tokens });
  const stamp = { revision: view.revision, nowMs };
  const isErased = erasureOf(session) !== "keep" && saysOther(context, old, merged);
  const erased = isErased ? eraseMessage(context, { session, message: old, stamp }, view) : NONE;
  if (erased === undefined) return { kind: "answer", result: { session } };
  const side = erased.side ?? view;
  // The new content is looked at with the next turn that ends, like that of a new message.
  const turn = { appended: [message], isEnd: false, episode: undefined };
  const { head } = session;
  const log: Totals = {
    messageCount: head.log.messageCount,
    tokenCount: head.log.tokenCount + message.tokenCount - old.tokenCount,
  };
  const edit = { seq: old.seq, oldTokens: old.tokenCount, newTokens: message.tokenCount };
  const edited = afterMessage(view.tasks(), edit, nowMs);
  const change = changeWindow(
    context,
    {
      session: { ...session, head: { ...head, log } },
      window: (view.window ?? []).map((entry) => (entry.seq === message.seq ? message : entry)),
      stamp,
      tasks: view.tasks,
      memory: isErased ? { side, turn } : { side },
      ...planPart(edited),
    },
    APPEND_STAGES,
  );
  const bytes = input.encode({
    message: message.bytes,
    revision: view.revision,
    trims: change.trims,
    window: change.totals,
  });
  const { messageId, seq, tokenCount } = message;
  return save(update, view, session, {
    bytes,
    change,
    part: replacePart(message, change),
    details: [
      { type: EVENT_TYPE.messageUpdated, messageId, seq, paths: input.paths, tokenCount },
      ...edited.events,
    ],
    erased,
    call,
    nowMs,
  });
}

/** Whether a changed message says something else, and not the same in the same words. */
function saysOther({ codec }: ServiceContext, old: StoredEntry, merged: MergedMessage): boolean {
  if (!merged.contentChanged) return false;
  const { draft } = codec.mergeMessage(old.bytes, NOTHING, []);
  return !isDeepStrictEqual(draft.counted(), merged.draft.counted());
}

/** A changed message that its change discards is erased and not written. */
function replacePart(message: NewMessage, change: WindowChange): Pick<SessionPlan, "replace"> {
  return change.erase.some(({ seq }) => seq === message.seq) ? {} : { replace: [message] };
}

/** The tokens of a changed message; undefined when they must be counted elsewhere first. */
function newCount(
  update: MessageUpdate,
  merged: MergedMessage,
  policy: Policy,
): { tokenCount: number; tokenRule: TokenRule } | undefined {
  const { draft, stamp } = merged;
  if (draft.tokenCount !== undefined) return { tokenCount: draft.tokenCount, tokenRule: "given" };
  const cleared = update.input.paths.includes("token_count");
  if (!merged.contentChanged && !cleared) {
    return { tokenCount: stamp.tokenCount, tokenRule: stamp.tokenRule };
  }
  if (policy.tokenRule === "given") {
    throw requestInvalid([
      {
        field: "message.token_count",
        description: "must be given with a change of content under TOKEN_RULE_GIVEN",
      },
    ]);
  }
  const rule = countedRule(policy);
  const now = update.context.tokens.countNow([draft], rule);
  const tokenCount = now?.[0] ?? update.counts.get(countKey(merged, policy));
  return tokenCount === undefined ? undefined : { tokenCount, tokenRule: rule.rule };
}

function encodeUpdate(
  update: MessageUpdate,
  view: SessionView,
  old: StoredEntry,
  next: {
    readonly merged: MergedMessage;
    readonly tokenCount: number;
    readonly tokenRule: TokenRule;
  },
): NewMessage {
  const { draft, stamp } = next.merged;
  const { tokenCount, tokenRule } = next;
  const bytes = update.context.codec.encodeMessage(draft, {
    ...stamp,
    tokenCount,
    tokenRule,
    updateMs: update.nowMs,
    etag: update.context.etags.of(view.revision),
  });
  checkMessageSize(bytes, "message");
  return {
    seq: old.seq,
    messageId: old.messageId,
    role: old.role,
    callIds: draft.callIds,
    answers: draft.answers,
    isResult: draft.isResult,
    tokenCount,
    createMs: stamp.createMs,
    byteCount: bytes.length,
    bytes,
  };
}

/** Deletes a message from the log. */
export async function deleteMessage(
  context: ServiceContext,
  call: Call,
  input: DeleteMessageInput,
): Promise<Uint8Array> {
  const { namespace, sessionId, messageId } = input;
  const nowMs = context.world.nowMs();
  const messageIds = [messageId];
  const target = { namespace, sessionId, messageIds, needWindow: true, allowWhenFull: true };
  for (;;) {
    const result = await changeSession<ManyMemories>(context, call, target, (view) =>
      decideDelete({ context, call, input, nowMs }, view),
    );
    if (result instanceof Uint8Array) return result;
    await eraseSome(context, result.session, messageId);
  }
}

function decideDelete(
  update: {
    readonly context: ServiceContext;
    readonly call: Call;
    readonly input: DeleteMessageInput;
    readonly nowMs: number;
  },
  view: SessionView,
): SessionDecision<ManyMemories | Uint8Array> {
  const { context, call, input, nowMs } = update;
  if (view.session === undefined) throw sessionNotFound(input.sessionId);
  if (input.allowMissing && !view.messages.has(input.messageId)) {
    const window = sessionTotals(view.session);
    const bytes = input.encode({ revision: 0, trims: [], window });
    return { kind: "answer", result: bytes, ...replyPart(call, nowMs, bytes) };
  }
  const { session, old } = existing(view, input);
  const { stamp } = context.codec.mergeMessage(old.bytes, NOTHING, []);
  if (input.etag !== "" && input.etag !== stamp.etag) throw etagMismatch();
  const { revision } = view;
  const at = { revision, nowMs };
  const erased = eraseMessage(context, { session, message: old, stamp: at }, view);
  if (erased === undefined) return { kind: "answer", result: { session } };
  const edit = { seq: old.seq, oldTokens: old.tokenCount, newTokens: undefined };
  const tasks = afterMessage(view.tasks(), edit, nowMs);
  const taken = takeOut(context, view, { session, old, at, erased, tasks });
  const { change, details } = taken;
  const bytes = input.encode({ revision, trims: change.trims, window: change.totals });
  return save(update, view, session, {
    bytes,
    change,
    part: { erase: taken.erase },
    details,
    erased,
    call,
    nowMs,
  });
}

/** Takes a message out of its log and its window; what is left of its tool pair leaves it, too. */
export function takeOut(
  context: ServiceContext,
  view: SessionView,
  {
    session,
    old,
    at,
    erased,
    tasks,
  }: {
    readonly session: Session;
    readonly old: StoredEntry;
    readonly at: { readonly revision: number; readonly nowMs: number };
    readonly erased: Pick<Erased, "side">;
    readonly tasks: TaskEdit;
  },
): {
  readonly change: WindowChange;
  readonly erase: NonNullable<SessionPlan["erase"]>;
  readonly details: readonly EventDetail[];
} {
  const { head } = session;
  const { messageId, seq, tokenCount } = old;
  const wasInWindow = containsSeq(head.windowRanges, seq);
  const windowRanges = removeSeqs(head.windowRanges, wasInWindow ? [seq] : []);
  const log: Totals = {
    messageCount: head.log.messageCount - 1,
    tokenCount: head.log.tokenCount - tokenCount,
  };
  const change = changeWindow(
    context,
    {
      session: { ...session, head: { ...head, log, windowRanges } },
      window: (view.window ?? []).filter((entry) => entry.seq !== seq),
      stamp: at,
      tasks: view.tasks,
      memory: { side: erased.side },
      ...planPart(tasks),
    },
    APPEND_STAGES,
  );
  const deleted = { type: EVENT_TYPE.messageDeleted, messageId, seq, tokenCount, wasInWindow };
  return {
    change,
    erase: [{ seq, messageId }, ...change.erase],
    details: [deleted, ...tasks.events],
  };
}

/** A draft that changes nothing. */
const NOTHING = {
  messageId: "",
  role: 1,
  name: "",
  callIds: [],
  answers: [],
  isResult: false,
  toolError: false,
  failedIds: [],
  tokenCount: undefined,
  imageCount: 0,
  counted: () => ({ content: [], calls: [], name: "", hasCallId: false, imageCount: 0 }),
  wire: undefined,
} as const;

function existing(
  view: SessionView,
  input: { readonly sessionId: string; readonly messageId: string },
): { session: Session; old: StoredEntry } {
  if (view.session === undefined) throw sessionNotFound(input.sessionId);
  const old = view.messages.get(input.messageId);
  if (old === undefined) throw messageNotFound(input.messageId);
  return { session: view.session, old };
}

function save(
  update: { readonly context: ServiceContext },
  view: SessionView,
  session: Session,
  done: {
    readonly bytes: Uint8Array;
    readonly change: WindowChange;
    readonly part: Pick<SessionPlan, "replace" | "erase">;
    /** Events of the change itself, before those of the stages. */
    readonly details: readonly EventDetail[];
    /** Effect on memories of the message. */
    readonly erased: Pick<Erased, "plan" | "events">;
    readonly call: Call;
    readonly nowMs: number;
  },
): SessionDecision<Uint8Array> {
  const { bytes, change, call, nowMs, erased } = done;
  const { revision } = view;
  const memories = joinedPlans(erased.plan, change.given?.plan.memories);
  const events = newEvents(
    update.context,
    { session, revision, nowMs, requestId: call.requestId },
    [...done.details, ...erased.events, ...change.events],
  );
  const plan: SessionPlan = {
    ...planOf(session, change),
    ...(memories === undefined ? {} : { memories }),
    ...done.part,
    events,
    ...replyPart(call, nowMs, bytes),
  };
  return { kind: "save", result: bytes, plan };
}
