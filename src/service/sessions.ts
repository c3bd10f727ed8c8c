// The use cases of sessions as such.

import { etagMismatch, sessionAlreadyExists, sessionNotFound } from "../domain/errors.ts";
import { EVENT_TYPE } from "../domain/event.ts";
import { makeSessionId } from "../domain/ids.ts";
import { DEFAULT_POLICY } from "../domain/policy.ts";
import type { Session, SessionRef } from "../domain/session.ts";
import { countedRule } from "../domain/token-rules.ts";
import type { SessionPage, SessionPlan } from "../storage/store.ts";
import type { Call, CreateSessionInput, DeleteSessionInput, ListSessionsInput } from "./api.ts";
import { changeSession, checkLive, liveSession, replyPart } from "./change.ts";
import type { ServiceContext } from "./context.ts";
import { checkMemoryHooks, checkPromotion } from "./memories/check-hooks.ts";
import { unpromotedSession } from "./memories/unpromote.ts";
import { newEvents } from "./new-events.ts";
import { newSession } from "./new-session.ts";
import { setText } from "./tasks/apply-summary.ts";
import { checkHooks } from "./tasks/hand-over.ts";

const SESSION_ID_RANDOM_BYTES = 10;

/** An id for a session that came without one. */
export function newSessionId(context: ServiceContext): string {
  return makeSessionId(context.world.nowMs(), context.world.random(SESSION_ID_RANDOM_BYTES));
}

/** Creates a session. */
export async function createSession(
  context: ServiceContext,
  call: Call,
  create: CreateSessionInput,
): Promise<Uint8Array> {
  const { namespace, input } = create;
  const sessionId = create.sessionId === "" ? newSessionId(context) : create.sessionId;
  const nowMs = context.world.nowMs();
  const text = input.summaryText ?? "";
  checkHooks(context, input.policy);
  checkMemoryHooks(context, input.memoryPolicy);
  const rule = countedRule(input.policy ?? DEFAULT_POLICY);
  const tokenCount = text === "" ? 0 : await context.tokens.countText(text, rule);
  return await changeSession<Uint8Array>(context, call, { namespace, sessionId }, (view) => {
    if (view.session !== undefined) throw sessionAlreadyExists(sessionId);
    const { revision } = view;
    const bare = newSession({ namespace, sessionId }, input, { nowMs, revision });
    checkPromotion(bare.fields);
    const { fields, record } = setText(
      bare.fields,
      { text, tokenCount },
      { nowMs, revision, lastSeq: 0 },
    );
    const session: Session = { ...bare, fields };
    const bytes = create.encode(session);
    const events = newEvents(context, { session, revision, nowMs, requestId: call.requestId }, [
      { type: EVENT_TYPE.sessionCreated },
    ]);
    const plan: SessionPlan = {
      fields,
      head: session.head,
      events,
      ...(record === undefined ? {} : { summaries: { put: [record] } }),
      ...replyPart(call, nowMs, bytes),
    };
    return { kind: "save", result: bytes, plan };
  });
}

/** Gets a session. */
export async function getSession(
  context: ServiceContext,
  call: Call,
  ref: SessionRef,
): Promise<Session> {
  checkLive(call.signal);
  const session = liveSession(context, await context.store.readSession(ref));
  if (session === undefined) throw sessionNotFound(ref.sessionId);
  return session;
}

/** Lists sessions. */
export async function listSessions(
  context: ServiceContext,
  call: Call,
  input: ListSessionsInput,
): Promise<SessionPage> {
  checkLive(call.signal);
  return await context.store.listSessions({ ...input, nowMs: context.world.nowMs() });
}

/** Deletes a session. */
export async function deleteSession(
  context: ServiceContext,
  call: Call,
  input: DeleteSessionInput,
): Promise<Uint8Array> {
  const { namespace, sessionId } = input;
  const nowMs = context.world.nowMs();
  const target = { namespace, sessionId, allowWhenFull: true };
  return await changeSession<Uint8Array>(context, call, target, (view) => {
    const { session, revision } = view;
    if (session === undefined) {
      if (!input.allowMissing) throw sessionNotFound(sessionId);
      const bytes = input.encode({ revision: 0 });
      return { kind: "answer", result: bytes, ...replyPart(call, nowMs, bytes) };
    }
    if (!context.etags.allows(input.etag, session.fields.etagRevision)) throw etagMismatch();
    const bytes = input.encode({ revision });
    const events = newEvents(context, { session, revision, nowMs, requestId: call.requestId }, [
      { type: EVENT_TYPE.sessionDeleted, reason: "request", log: session.head.log },
    ]);
    const memories = unpromotedSession(session);
    const plan: SessionPlan = { remove: true, events, memories, ...replyPart(call, nowMs, bytes) };
    return { kind: "save", result: bytes, plan };
  });
}
