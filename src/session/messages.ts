// The use cases of single messages: get, update. Those that delete are in delete-messages.ts, those
// that list in log/list-messages.ts.

import {
  answerOnly,
  type Changing,
  changeSession,
  DoFirst,
  existingSession,
} from "../core/change.ts";
import type { MergedMessage } from "../core/codec.ts";
import type { ServiceContext } from "../core/context.ts";
import { sessionTotals } from "../core/window-view.ts";
import { type Call, checkLive } from "../kit/call.ts";
import { etagMismatch, messageNotFound, requestInvalid, sessionNotFound } from "../kit/errors.ts";
import { LIMITS } from "../kit/limits.ts";
import type {
  FoundPage,
  MessagePage,
  NewMessage,
  SessionDecision,
  SessionView,
  StoredEntry,
  StoredMessage,
} from "../store/store.ts";
import type { Policy, TokenRule } from "../window/policy/policy.ts";
import { countedRule } from "../window/policy/token-rules.ts";
import { addRange, containsSeq, rangesOf } from "../window/rules/ranges.ts";
import type {
  BatchGetInput,
  BatchGetResult,
  FindMessagesInput,
  UpdateMessageInput,
} from "./api.ts";
import { editLogOrFirst, saveEdit, saysOther, windowAfter } from "./log/edit-log.ts";
import { encodeNew } from "./log/encode-messages.ts";
import type { Session, SessionRef } from "./rules/session.ts";

/** Gets a message, and whether it is in the stored window. */
export async function getMessage(
  context: ServiceContext,
  call: Call,
  input: SessionRef & { readonly messageId: string },
): Promise<{ message: StoredMessage; inWindow: boolean }> {
  checkLive(call.signal);
  const session = await existingSession(context, input);
  const message = await context.store.readMessage(input, input.messageId);
  if (message === undefined) throw messageNotFound(input.messageId);
  return { message, inWindow: containsSeq(session.head.windowRanges, message.seq) };
}

/** Gets messages by their ids and seqs, by rising seq; the first page names the ids without one. */
export async function batchGetMessages(
  context: ServiceContext,
  call: Call,
  input: BatchGetInput,
): Promise<BatchGetResult> {
  checkLive(call.signal);
  const session = await existingSession(context, input);
  const { startSeq = 1, limit } = input;
  const named: { readonly seq: number }[] = [];
  const missing: string[] = [];
  for (const messageId of new Set(input.messageIds)) {
    const message = await context.store.readMessage(input, messageId);
    if (message === undefined) missing.push(messageId);
    else named.push({ seq: message.seq });
  }
  const ranges = input.ranges.reduce(addRange, rangesOf(named.sort((a, b) => a.seq - b.seq)));
  const messages: StoredMessage[] = [];
  let bytes = 0;
  let looks = 0;
  for (const { first, last } of ranges) {
    const lastSeq = Math.min(last, session.head.lastSeq);
    let next: number | undefined = Math.max(first, startSeq);
    while (next !== undefined && next <= lastSeq) {
      const isFull = messages.length >= limit || looks >= LIMITS.pageScan;
      if (isFull) return { messages, missing, next };
      const query = {
        firstSeq: next,
        lastSeq,
        order: "asc",
        limit: limit - messages.length,
      } as const;
      const page: MessagePage | undefined = await context.store.listMessages(input, query);
      checkLive(call.signal);
      for (const message of page?.messages ?? []) {
        bytes += message.bytes.length;
        if (messages.length > 0 && bytes > LIMITS.pageBytes) {
          return { messages, missing, next: message.seq };
        }
        messages.push(message);
      }
      looks += (page?.next ?? lastSeq + 1) - next;
      next = page?.next;
    }
  }
  return { messages, missing, next: undefined };
}

/** Finds messages by their ids, without their sessions. */
export async function findMessages(
  context: ServiceContext,
  call: Call,
  input: FindMessagesInput,
): Promise<FoundPage> {
  checkLive(call.signal);
  return await context.store.findMessages({ ...input, nowMs: context.world.nowMs() });
}

/** Changes a message in place. */
export async function updateMessage(
  context: ServiceContext,
  call: Call,
  input: UpdateMessageInput,
): Promise<Uint8Array> {
  const nowMs = context.world.nowMs();
  const { namespace, sessionId, messageId } = input;
  const target = { namespace, sessionId, messageIds: [messageId] };
  // Exact counts, by the text they stand for, so that a second decision finds them.
  const counts = new Map<string, number>();
  return await changeSession<Uint8Array>(context, call, target, (view) =>
    decideUpdate({ context, call, input, nowMs, counts }, view),
  );
}

interface MessageUpdate extends Changing {
  readonly input: UpdateMessageInput;
  readonly counts: Map<string, number>;
}

function decideUpdate(update: MessageUpdate, view: SessionView): SessionDecision<Uint8Array> {
  const { context, input, nowMs } = update;
  const { session, old } = existing(view, input);
  const merged = context.codec.mergeMessage(old.bytes, input.draft, input.paths);
  if (input.etag !== "" && input.etag !== merged.stamp.etag) throw etagMismatch();
  const policy = session.fields.policy;
  if (input.paths.length === 0) {
    const window = sessionTotals(session);
    const answer = { message: old.bytes, revision: 0, trims: [], window };
    return answerOnly(update, input.encode(answer));
  }
  const tokens = newCount(update, merged, policy);
  const message = encodeUpdate(update, view, { merged, ...tokens });
  const isOther = merged.contentChanged && saysOther(context.codec, old, merged.draft);
  const replacement = { old, message, paths: input.paths, saysOther: isOther };
  const edit = { replace: [replacement], erase: [] };
  const edited = editLogOrFirst(context, view, { session, nowMs }, edit);
  const change = windowAfter(context, view, edited, nowMs);
  const bytes = input.encode({
    message: message.bytes,
    revision: view.revision,
    trims: change.trims,
    window: change.totals,
  });
  return saveEdit(update, view, { session, edited, change, bytes });
}

/** The tokens of a changed message. */
function newCount(
  update: MessageUpdate,
  merged: MergedMessage,
  policy: Policy,
): { tokenCount: number; tokenRule: TokenRule } {
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
  const { tokens } = update.context;
  const key = `${JSON.stringify(rule)} ${stamp.etag}`;
  const tokenCount = tokens.countNow([draft], rule)?.[0] ?? update.counts.get(key);
  if (tokenCount !== undefined) return { tokenCount, tokenRule: rule.rule };
  throw new DoFirst(async () => {
    const [count = 0] = await tokens.countAll([draft], rule);
    update.counts.set(key, count);
  });
}

function encodeUpdate(
  update: MessageUpdate,
  view: SessionView,
  next: {
    readonly merged: MergedMessage;
    readonly tokenCount: number;
    readonly tokenRule: TokenRule;
  },
): NewMessage {
  const { draft, stamp } = next.merged;
  const { tokenCount, tokenRule } = next;
  const etag = update.context.etags.of(view.revision);
  const changed = { ...stamp, tokenCount, tokenRule, updateMs: update.nowMs, etag };
  return encodeNew(update.context.codec, draft, changed, "message");
}

function existing(
  view: SessionView,
  input: { readonly sessionId: string; readonly messageId: string },
): { session: Session; old: StoredEntry } {
  if (view.session === undefined) throw sessionNotFound(input.sessionId);
  const old = view.messages.get(input.messageId);
  if (old === undefined) throw messageNotFound(input.messageId);
  return { session: view.session, old };
}
