// The use cases of single messages: list, get, update, delete.

import {
  etagMismatch,
  messageNotFound,
  requestInvalid,
  sessionNotFound,
} from "../domain/errors.ts";
import { etagOf } from "../domain/etag.ts";
import { EVENT_TYPE, type EventDetail } from "../domain/event.ts";
import type { Policy } from "../domain/policy.ts";
import type { Session, SessionRef } from "../domain/session.ts";
import { containsSeq } from "../domain/window/ranges.ts";
import { removeSeqs } from "../domain/window/remove-seqs.ts";
import type { Totals } from "../domain/window/types.ts";
import type {
  MessagePage,
  NewMessage,
  SessionDecision,
  SessionPlan,
  SessionView,
  StoredEntry,
  StoredMessage,
} from "../storage/store.ts";
import type {
  Call,
  DeleteMessageInput,
  ListMessagesInput,
  MergedMessage,
  UpdateMessageInput,
} from "./api.ts";
import { checkMessageSize } from "./append.ts";
import { changeSession, checkLive, liveSession, replyPart } from "./change.ts";
import type { ServiceContext } from "./context.ts";
import { newEvents } from "./new-events.ts";
import { applyPolicy, headWith, trimEvents, type WindowChange } from "./window-change.ts";

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
    const result = await changeSession<NeedCount>(context, call, target, (view) =>
      decideUpdate({ context, call, input, nowMs, counts }, view),
    );
    if (result instanceof Uint8Array) return result;
    const { merged, policy } = result;
    const { tokenRule, imageTokenCount } = policy;
    const [count] = await context.tokens.countAll([merged.draft], tokenRule, imageTokenCount);
    counts.set(countKey(merged, policy), count ?? 0);
  }
}

function countKey(merged: MergedMessage, policy: Policy): string {
  return `${policy.tokenRule} ${policy.imageTokenCount} ${merged.stamp.etag}`;
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
): SessionDecision<NeedCount | Uint8Array> {
  const { context, call, input, nowMs } = update;
  const { session, old } = existing(view, input);
  const merged = context.codec.mergeMessage(old.bytes, input.draft, input.paths);
  if (input.etag !== "" && input.etag !== merged.stamp.etag) throw etagMismatch();
  const policy = session.fields.policy;
  if (input.paths.length === 0) {
    const { window } = session.head;
    const answer = { message: old.bytes, revision: 0, trims: [], window };
    return { kind: "answer", result: input.encode(answer) };
  }
  const tokens = newCount(update, merged, policy);
  if (tokens === undefined) return { kind: "answer", result: { merged, policy } };
  const message = encodeUpdate(update, view, old, { merged, ...tokens });
  const window = (view.window ?? []).map((entry) => (entry.seq === message.seq ? message : entry));
  const change = applyPolicy(window, session.head.windowRanges, policy);
  const log: Totals = {
    messageCount: session.head.log.messageCount,
    tokenCount: session.head.log.tokenCount + message.tokenCount - old.tokenCount,
  };
  const bytes = input.encode({
    message: message.bytes,
    revision: view.revision,
    trims: change.trims,
    window: change.totals,
  });
  const { messageId, seq, tokenCount } = message;
  return save(update, view, session, {
    bytes,
    log,
    change,
    windowTrimmed: change.trims.length > 0,
    part: { replace: [message] },
    detail: { type: EVENT_TYPE.messageUpdated, messageId, seq, paths: input.paths, tokenCount },
    call,
    nowMs,
  });
}

/** The tokens of a changed message; undefined when they must be counted elsewhere first. */
function newCount(
  update: MessageUpdate,
  merged: MergedMessage,
  policy: Policy,
): { tokenCount: number; tokenRule: Policy["tokenRule"] } | undefined {
  const { draft, stamp } = merged;
  if (draft.tokenCount !== undefined) {
    return { tokenCount: draft.tokenCount, tokenRule: "given" };
  }
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
  const { tokenRule, imageTokenCount } = policy;
  const now = update.context.tokens.countNow([draft], tokenRule, imageTokenCount);
  const tokenCount = now?.[0] ?? update.counts.get(countKey(merged, policy));
  return tokenCount === undefined ? undefined : { tokenCount, tokenRule };
}

function encodeUpdate(
  update: MessageUpdate,
  view: SessionView,
  old: StoredEntry,
  next: {
    readonly merged: MergedMessage;
    readonly tokenCount: number;
    readonly tokenRule: Policy["tokenRule"];
  },
): NewMessage {
  const { draft, stamp } = next.merged;
  const { tokenCount, tokenRule } = next;
  const bytes = update.context.codec.encodeMessage(draft, {
    ...stamp,
    tokenCount,
    tokenRule,
    updateMs: update.nowMs,
    etag: etagOf(view.revision),
  });
  checkMessageSize(bytes, "message");
  return {
    seq: old.seq,
    messageId: old.messageId,
    role: old.role,
    callIds: draft.callIds,
    toolCallId: draft.toolCallId,
    tokenCount,
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
  return await changeSession<Uint8Array>(context, call, target, (view) =>
    decideDelete({ context, call, input, nowMs }, view),
  );
}

function decideDelete(
  update: {
    readonly context: ServiceContext;
    readonly call: Call;
    readonly input: DeleteMessageInput;
    readonly nowMs: number;
  },
  view: SessionView,
): SessionDecision<Uint8Array> {
  const { context, call, input, nowMs } = update;
  if (view.session === undefined) throw sessionNotFound(input.sessionId);
  if (input.allowMissing && !view.messages.has(input.messageId)) {
    const { window } = view.session.head;
    const bytes = input.encode({ revision: 0, trims: [], window });
    return { kind: "answer", result: bytes, ...replyPart(call, nowMs, bytes) };
  }
  const { session, old } = existing(view, input);
  const { stamp } = context.codec.mergeMessage(old.bytes, NOTHING, []);
  if (input.etag !== "" && input.etag !== stamp.etag) throw etagMismatch();
  const wasInWindow = containsSeq(session.head.windowRanges, old.seq);
  const window = (view.window ?? []).filter((entry) => entry.seq !== old.seq);
  const ranges = removeSeqs(session.head.windowRanges, wasInWindow ? [old.seq] : []);
  const change = applyPolicy(window, ranges, session.fields.policy);
  const log: Totals = {
    messageCount: session.head.log.messageCount - 1,
    tokenCount: session.head.log.tokenCount - old.tokenCount,
  };
  const { revision } = view;
  const bytes = input.encode({ revision, trims: change.trims, window: change.totals });
  const { messageId, seq, tokenCount } = old;
  return save(update, view, session, {
    bytes,
    log,
    change,
    windowTrimmed: change.trims.length > 0,
    part: { erase: [{ seq, messageId }] },
    detail: { type: EVENT_TYPE.messageDeleted, messageId, seq, tokenCount, wasInWindow },
    call,
    nowMs,
  });
}

/** A draft that changes nothing. */
const NOTHING = {
  messageId: "",
  role: 1,
  callIds: [],
  toolCallId: "",
  tokenCount: undefined,
  imageCount: 0,
  countedTexts: () => [],
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
    readonly log: Totals;
    readonly change: WindowChange;
    readonly windowTrimmed: boolean;
    readonly part: Pick<SessionPlan, "replace" | "erase">;
    readonly detail: EventDetail;
    readonly call: Call;
    readonly nowMs: number;
  },
): SessionDecision<Uint8Array> {
  const { bytes, log, change, call, nowMs } = done;
  const { revision } = view;
  const events = newEvents(
    update.context,
    { session, revision, nowMs, requestId: call.requestId },
    [done.detail, ...trimEvents(change.trims)],
  );
  const plan: SessionPlan = {
    head: { ...headWith(session.head, change, { revision, nowMs }), log },
    window: change.window,
    windowTrimmed: done.windowTrimmed,
    ...done.part,
    events,
    ...replyPart(call, nowMs, bytes),
  };
  return { kind: "save", result: bytes, plan };
}
