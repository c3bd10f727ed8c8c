// The use cases that delete messages of a log: one, several by name, the newest, and those that a
// search finds.

import {
  answerOnly,
  type ChangeOptions,
  type Changing,
  changeSession,
  DoFirst,
  liveSession,
} from "../core/change.ts";
import type { ServiceContext } from "../core/context.ts";
import { sessionTotals } from "../core/window-view.ts";
import { type Call, checkLive } from "../kit/call.ts";
import { etagMismatch, messageNotFound, sessionNotFound, undefinedFor } from "../kit/errors.ts";
import { LIMITS } from "../kit/limits.ts";
import type { SessionDecision, SessionView, StoredMessage } from "../store/store.ts";
import { seqsOf } from "../window/rules/ranges.ts";
import type {
  BatchDeleteInput,
  DeletedFound,
  DeletedMessages,
  DeleteFoundInput,
  DeleteMessageInput,
  PopInput,
} from "./api.ts";
import {
  checkEditBytes,
  checkLastSeq,
  editLogOrFirst,
  messagesOf,
  saveEdit,
  windowAfter,
} from "./log/edit-log.ts";
import type { Session, SessionRef } from "./rules/session.ts";

type Encode = (result: DeletedMessages) => Uint8Array;

/** Deletes a message from the log. */
export function deleteMessage(
  context: ServiceContext,
  call: Call,
  input: DeleteMessageInput,
): Promise<Uint8Array> {
  const { messageId, etag, allowMissing } = input;
  const deletion = { context, call, nowMs: context.world.nowMs() };
  return deleteWith(deletion, { ...input, messageIds: [messageId] }, (view, session) => {
    const old = view.messages.get(messageId);
    if (old === undefined && !allowMissing) throw messageNotFound(messageId);
    if (old === undefined) return nothing(deletion, session, input.encode);
    const { stamp } = context.codec.decodeMessage(old.bytes);
    if (etag !== "" && etag !== stamp.etag) throw etagMismatch();
    return remove(deletion, view, session, { messages: [old], encode: input.encode });
  });
}

/** Deletes messages from the log by their ids and seqs. */
export function batchDeleteMessages(
  context: ServiceContext,
  call: Call,
  input: BatchDeleteInput,
): Promise<Uint8Array> {
  const deletion = { context, call, nowMs: context.world.nowMs() };
  const { messageIds, ranges, allowMissing, encode } = input;
  return deleteWith(deletion, input, (view, session) => {
    checkLastSeq(input, session);
    checkEditBytes(view.messages.values(), "message_ids");
    const missing = messageIds.find((messageId) => !view.messages.has(messageId));
    if (missing !== undefined && !allowMissing) throw messageNotFound(missing);
    const seqs = seqsOf(ranges).filter((seq) => seq <= session.head.lastSeq);
    const inRanges = messagesOf(view, seqs, (messages) => {
      checkEditBytes(messages, "seq_ranges");
      return false;
    });
    const bySeq = new Map([...inRanges, ...view.messages.values()].map((one) => [one.seq, one]));
    const messages = [...bySeq.values()].sort((a, b) => a.seq - b.seq);
    if (messages.length === 0) return nothing(deletion, session, encode);
    return remove(deletion, view, session, { messages, encode });
  });
}

/** After so many changes in between, the decision looks for the messages by itself. */
const TRIES_MAX = 8;

/**
 * Removes the newest messages of a log and gives them. Where they are is looked for beforehand:
 * very many deleted ones may stand behind them.
 */
export async function popMessages(
  context: ServiceContext,
  call: Call,
  input: PopInput,
): Promise<Uint8Array> {
  const deletion = { context, call, nowMs: context.world.nowMs() };
  const { count, encode } = input;
  let found = await newestOf(context, input);
  let tries = 1;
  return await deleteWith(deletion, input, (view, session) => {
    checkLastSeq(input, session);
    const isSame = session.head.revision === found.revision;
    if (!isSame && tries < TRIES_MAX) {
      throw new DoFirst(async () => {
        tries += 1;
        found = await newestOf(context, input);
      });
    }
    const below = { first: 1, last: session.head.lastSeq };
    const seqs = isSame ? found.seqs : seqsOf([below]).reverse();
    const newest = messagesOf(view, seqs, (messages) => isEnough(messages, count));
    if (newest.length === 0) return nothing(deletion, session, encode);
    return remove(deletion, view, session, { messages: fitting(newest, count).reverse(), encode });
  });
}

/** The seqs of the newest messages of a session, newest first. */
async function newestOf(
  context: ServiceContext,
  input: PopInput,
): Promise<{ readonly revision: number; readonly seqs: readonly number[] }> {
  const session = liveSession(context, await context.store.readSession(input));
  const seqs: number[] = [];
  let next = session?.head.lastSeq;
  let bytes = 0;
  while (next !== undefined && seqs.length < input.count && bytes <= LIMITS.pageBytes) {
    const limit = input.count - seqs.length;
    const page = await context.store.listMessages(input, {
      ...{ firstSeq: 1, lastSeq: next, order: "desc", limit },
    });
    for (const message of page?.messages ?? []) {
      seqs.push(message.seq);
      bytes += message.bytes.length;
    }
    next = page?.next;
  }
  return { revision: session?.head.revision ?? 0, seqs };
}

/** Those of the newest messages that one answer holds; the first of them in any case. */
function fitting(newest: readonly StoredMessage[], count: number): StoredMessage[] {
  const messages: StoredMessage[] = [];
  let bytes = 0;
  for (const message of newest.slice(0, count)) {
    bytes += message.bytes.length;
    if (messages.length > 0 && bytes > LIMITS.pageBytes) break;
    messages.push(message);
  }
  return messages;
}

function isEnough(newest: readonly StoredMessage[], count: number): boolean {
  return newest.length >= count || fitting(newest, count).length < newest.length;
}

/** Changes a session by a deletion. */
async function deleteWith(
  { context, call }: Changing,
  input: SessionRef & Pick<ChangeOptions, "messageIds" | "isPart">,
  decide: (view: SessionView, session: Session) => SessionDecision<Uint8Array>,
): Promise<Uint8Array> {
  const { namespace, sessionId, messageIds = [], isPart = false } = input;
  const target = {
    ...{ namespace, sessionId, messageIds, allowWhenFull: true, isPart },
    messageBytesMax: LIMITS.editBytes,
  };
  return await changeSession<Uint8Array>(context, call, target, (view) => {
    if (view.session === undefined) throw sessionNotFound(sessionId);
    return decide(view, view.session);
  });
}

function nothing(
  deletion: Changing,
  session: Session,
  encode: Encode,
): SessionDecision<Uint8Array> {
  const window = sessionTotals(session);
  return answerOnly(deletion, encode({ messages: [], revision: 0, trims: [], window }));
}

function remove(
  deletion: Changing,
  view: SessionView,
  session: Session,
  { messages, encode }: { readonly messages: readonly StoredMessage[]; readonly encode: Encode },
): SessionDecision<Uint8Array> {
  const { context, nowMs } = deletion;
  const edit = { replace: [], erase: messages };
  const edited = editLogOrFirst(context, view, { session, nowMs }, edit);
  const change = windowAfter(context, view, edited, nowMs);
  const { revision } = view;
  const bytes = encode({ messages, revision, trims: change.trims, window: change.totals });
  return saveEdit(deletion, view, { session, edited, change, bytes });
}

// Deletions by ids alone, wherever the messages are. Each session is changed in a transaction of
// its own; the answer to a request id is remembered with the last of them.

/** Deletes the messages that one page of a search finds. */
export async function deleteFoundMessages(
  context: ServiceContext,
  call: Call,
  { encode, ...search }: DeleteFoundInput,
): Promise<Uint8Array> {
  checkLive(call.signal);
  // Answers are kept by namespace: which session is named makes no difference.
  const { namespace, messageIds } = search;
  const anywhere = { namespace, sessionId: messageIds[0] ?? "" };
  const before = await answerOf(context, call, anywhere);
  if (before !== undefined) return before;
  const nowMs = context.world.nowMs();
  const page = await context.store.findMessages({ ...search, nowMs, limit: LIMITS.batchMessages });
  const deleted: DeletedFound[] = [];
  const bySession = Map.groupBy(page.messages, ({ sessionId }) => sessionId);
  const found = [...bySession].map(([sessionId, messages]): Found => {
    return { sessionId, messageIds: messages.map(({ messageId }) => messageId) };
  });
  const last = found.pop();
  for (const one of found) {
    checkLive(call.signal);
    await deleteIn(context, call, { ...one, namespace, isPart: true }, (messages) => {
      deleted.push(...messages);
      return NO_BYTES;
    });
  }
  const answer = (messages: readonly DeletedFound[]): Uint8Array =>
    encode({ messages: [...deleted, ...messages], next: page.next });
  checkLive(call.signal);
  const bytes = last && (await deleteIn(context, call, { ...last, namespace }, answer));
  return bytes ?? (await remember(context, call, anywhere, answer([])));
}

const NO_BYTES = new Uint8Array();

interface Found {
  readonly sessionId: string;
  readonly messageIds: readonly string[];
}

/** Deletes messages of one session; undefined when it is gone. */
async function deleteIn(
  context: ServiceContext,
  call: Call,
  found: Found & SessionRef & { readonly isPart?: boolean },
  answer: (deleted: readonly DeletedFound[]) => Uint8Array,
): Promise<Uint8Array | undefined> {
  const { sessionId } = found;
  // A decision may run several times: its last result is the one that was saved.
  let saved: readonly DeletedFound[] = [];
  const encode = ({ messages, revision }: DeletedMessages): Uint8Array => {
    saved = messages.map(({ messageId, seq }) => ({ sessionId, messageId, seq, revision }));
    return found.isPart === true ? NO_BYTES : answer(saved);
  };
  const input = { ...found, ranges: [], allowMissing: true, encode };
  const deleting = batchDeleteMessages(context, call, input);
  const bytes = await deleting.catch(undefinedFor("SESSION_NOT_FOUND"));
  return found.isPart === true && bytes !== undefined ? answer(saved) : bytes;
}

/** The answer given earlier to the request id of the call. */
async function answerOf(
  context: ServiceContext,
  call: Call,
  ref: SessionRef,
): Promise<Uint8Array | undefined> {
  if (call.requestId === "") return undefined;
  const target = { ...ref, allowWhenFull: true };
  return await changeSession<undefined>(context, call, target, () => {
    return { kind: "answer", result: undefined };
  });
}

/** Remembers the answer of a call that changed nothing. */
async function remember(
  context: ServiceContext,
  call: Call,
  ref: SessionRef,
  bytes: Uint8Array,
): Promise<Uint8Array> {
  const changing = { context, call, nowMs: context.world.nowMs() };
  const target = { ...ref, allowWhenFull: true };
  return await changeSession<Uint8Array>(context, call, target, () => answerOnly(changing, bytes));
}
