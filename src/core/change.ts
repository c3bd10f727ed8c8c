// The one way in which a use case changes a session: idempotency, expiry and the stored answer are
// handled here, so that a use case only decides.
//
// A request id is remembered in the same transaction as its effect, with a digest of the request
// and the answer. A repeat inside the idempotency window gets that answer back; older answers are
// as good as gone, whether or not upkeep has removed them yet.

import { EVENT_TYPE, type EventDetail } from "../events/rules/event.ts";
import { type Call, checkLive, serverCall } from "../kit/call.ts";
import { answerErased, requestIdReused, sessionNotFound } from "../kit/errors.ts";
import { isExpired, type Session, type SessionRef } from "../session/rules/session.ts";
import type {
  SessionDecision,
  SessionPlan,
  SessionView,
  StoredEntry,
  StoredReply,
} from "../store/store.ts";
import type { ServiceContext } from "./context.ts";
import { newEvents } from "./new-events.ts";

/**
 * Thrown inside a decision that cannot be made before something is done, such as counting a text.
 * The change is decided again afterwards.
 */
export class DoFirst extends Error {
  override readonly name = "DoFirst";
  readonly work: () => Promise<unknown>;

  constructor(work: () => Promise<unknown>) {
    super("Something must be done before the decision.");
    this.work = work;
  }
}

/** Makes a change, and whatever its decisions want done first. */
export async function doingFirst<T>(signal: AbortSignal, change: () => Promise<T>): Promise<T> {
  for (;;) {
    checkLive(signal);
    try {
      return await change();
    } catch (error) {
      if (!(error instanceof DoFirst)) throw error;
      await error.work();
    }
  }
}

/** Data that a use case needs beside the session. */
export interface ChangeOptions {
  readonly messageIds?: readonly string[];
  readonly firstMessageOnly?: boolean;
  readonly messageBytesMax?: number;
  readonly allowWhenFull?: boolean;
  /** One of several changes of a call, whose answer is remembered with another one. */
  readonly isPart?: boolean;
}

/** The answer given earlier to the call's request id, if it still counts. */
export function replayOf(
  context: ServiceContext,
  call: Call,
  reply: StoredReply | undefined,
): Uint8Array | undefined {
  if (reply === undefined || call.requestId === "") return undefined;
  const age = context.world.nowMs() - reply.createMs;
  if (age >= context.settings.idempotencyWindowMs) return undefined;
  const same = reply.method === call.method && reply.digest === call.digest;
  if (!same) throw requestIdReused(call.requestId);
  if (reply.isErased === true) throw answerErased(call.requestId);
  return reply.bytes;
}

/** The inputs of a change that stay the same however often it is decided. */
export interface Changing {
  readonly context: ServiceContext;
  readonly call: Call;
  readonly nowMs: number;
}

/** A change that the server makes by itself, now. */
export function byServer(context: ServiceContext): Changing {
  return { context, call: serverCall(), nowMs: context.world.nowMs() };
}

/** The part of a plan that remembers the answer. */
export function replyPart(call: Call, nowMs: number, bytes: Uint8Array): { reply?: StoredReply } {
  if (call.requestId === "") return {};
  return { reply: { method: call.method, digest: call.digest, bytes, createMs: nowMs } };
}

/** The outcome of a decision; without a plan nothing is saved. */
export interface Outcome<Plan> {
  readonly plan?: Plan | undefined;
  /** Encodes the answer with the revision of the change, 0 when nothing is saved. */
  readonly answer: (revision: number) => Uint8Array;
}

/** Decides a change whose answer is remembered. A repeated call is answered as before. */
export function decideOnce<Plan>(
  { context, call, nowMs }: Changing,
  view: { readonly revision: number; readonly reply: StoredReply | undefined },
  decide: () => Outcome<Plan>,
) {
  const replay = replayOf(context, call, view.reply);
  if (replay !== undefined) return { kind: "answer", result: replay } as const;
  const { plan, answer } = decide();
  const result = answer(plan === undefined ? 0 : view.revision);
  const reply = replyPart(call, nowMs, result);
  if (plan === undefined) return { kind: "answer", result, ...reply } as const;
  return { kind: "save", result, plan: { ...plan, nowMs, ...reply } } as const;
}

/** The decision that changes nothing, and remembers the answer. */
export function answerOnly(
  { call, nowMs }: Changing,
  bytes: Uint8Array,
): SessionDecision<Uint8Array> {
  return { kind: "answer", result: bytes, ...replyPart(call, nowMs, bytes) };
}

/** A change that a decision saves, with its result and its answer. */
export interface Saving<T> {
  readonly result: T;
  /** The session that the events are about. */
  readonly session: Session;
  readonly plan: Omit<SessionPlan, "events" | "reply">;
  readonly details: readonly EventDetail[];
  /** The answer to remember; undefined for a call that is refused. */
  readonly bytes: Uint8Array | undefined;
}

/** The decision that saves a change with its events, and remembers the answer. */
export function saved<T>(
  { context, call, nowMs }: Changing,
  { revision }: Pick<SessionView, "revision">,
  { result, session, plan, details, bytes }: Saving<T>,
): SessionDecision<T> {
  const origin = { session, revision, nowMs, requestId: call.requestId };
  const events = newEvents(context, origin, details);
  const reply = bytes === undefined ? {} : replyPart(call, nowMs, bytes);
  return { kind: "save", result, plan: { ...plan, events, ...reply } };
}

/**
 * Changes a session. A session past its time does not exist for `decide`; it is erased first, with
 * its event, so that the same id can be used anew.
 */
export async function changeSession<T>(
  context: ServiceContext,
  call: Call,
  { isPart = false, ...target }: SessionRef & ChangeOptions,
  decide: (view: SessionView) => SessionDecision<T | Uint8Array>,
): Promise<T | Uint8Array> {
  const change = { ...target, requestId: isPart ? "" : call.requestId };
  return await doingFirst(call.signal, () =>
    context.store.changeSession<T | Uint8Array>(change, (view) => {
      const replay = replayOf(context, call, view.reply);
      if (replay !== undefined) return { kind: "answer", result: replay };
      if (view.session !== undefined && isExpired(view.session, context.world.nowMs())) {
        throw new DoFirst(() => eraseExpired(context, target));
      }
      return decide(view);
    }),
  );
}

/** Deletes a session if its time has run out; does nothing otherwise. */
export function eraseExpired(context: ServiceContext, ref: SessionRef): Promise<boolean> {
  const { namespace, sessionId } = ref;
  const change = { namespace, sessionId, allowWhenFull: true };
  return context.store.changeSession<boolean>(change, (view) => {
    const { session } = view;
    const erasing = byServer(context);
    if (session === undefined || !isExpired(session, erasing.nowMs)) {
      return { kind: "answer", result: false };
    }
    const memories = context.participants.memory.sessionEmptied(session);
    return saved(erasing, view, {
      ...{ result: true, bytes: undefined, session, plan: { remove: true, memories } },
      details: [{ type: EVENT_TYPE.sessionDeleted, reason: "expired", log: session.head.log }],
    });
  });
}

/**
 * Removes what has run out, one part after the other; false when a part failed: what cannot be
 * removed must not keep upkeep awake.
 */
export async function removeEach<T>(
  parts: Iterable<T>,
  remove: (part: T) => Promise<unknown>,
  onError: (error: unknown) => void,
): Promise<boolean> {
  let isDone = true;
  for (const part of parts) {
    await remove(part).catch((error: unknown) => {
      isDone = false;
      onError(error);
    });
  }
  return isDone;
}

/** A session that exists for the caller: neither missing nor past its time. */
export function liveSession(
  context: ServiceContext,
  session: Session | undefined,
): Session | undefined {
  if (session === undefined || isExpired(session, context.world.nowMs())) return undefined;
  return session;
}

/** Reads a session that exists for the caller with its window. Throws SESSION_NOT_FOUND. */
export async function existingWindow(
  context: ServiceContext,
  ref: SessionRef,
): Promise<{ readonly session: Session; readonly window: readonly StoredEntry[] }> {
  const now = await context.store.readWindow(ref);
  const session = liveSession(context, now?.session);
  if (now === undefined || session === undefined) throw sessionNotFound(ref.sessionId);
  return { session, window: now.window };
}

/** Reads a session that exists for the caller. Throws SESSION_NOT_FOUND. */
export async function existingSession(context: ServiceContext, ref: SessionRef): Promise<Session> {
  const session = liveSession(context, await context.store.readSession(ref));
  if (session === undefined) throw sessionNotFound(ref.sessionId);
  return session;
}
