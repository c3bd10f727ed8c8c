// The use cases of sessions as such.

import {
  etagMismatch,
  seqOutOfRange,
  sessionAlreadyExists,
  sessionNotFound,
} from "../domain/errors.ts";
import { etagAllows } from "../domain/etag.ts";
import { EVENT_TYPE } from "../domain/event.ts";
import { makeSessionId } from "../domain/ids.ts";
import type { Session, SessionRef } from "../domain/session.ts";
import { rangesOf } from "../domain/window/ranges.ts";
import { totalsOf } from "../domain/window/totals.ts";
import { ROLE } from "../domain/window/types.ts";
import type { CopyDecision, CopyView, SessionPage, SessionPlan } from "../storage/store.ts";
import type {
  Call,
  CreateSessionInput,
  DeleteSessionInput,
  ForkSessionInput,
  ListSessionsInput,
  ResetSessionInput,
} from "./api.ts";
import {
  changeSession,
  checkLive,
  eraseExpired,
  liveSession,
  replayOf,
  replyPart,
} from "./change.ts";
import type { ServiceContext } from "./context.ts";
import { newEvents } from "./new-events.ts";
import { newSession } from "./new-session.ts";
import { withSummary } from "./update-session.ts";
import { applyPolicy } from "./window-change.ts";

const SESSION_ID_RANDOM_BYTES = 10;

function newSessionId(context: ServiceContext): string {
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
  const rule = input.policy?.tokenRule ?? "bytes-div-4";
  const tokenCount = text === "" ? 0 : await context.tokens.countText(text, rule);
  return await changeSession<Uint8Array>(context, call, { namespace, sessionId }, (view) => {
    if (view.session !== undefined) throw sessionAlreadyExists(sessionId);
    const { revision } = view;
    const bare = newSession({ namespace, sessionId }, input, { nowMs, revision });
    const fields = withSummary(bare.fields, { text, tokenCount }, nowMs);
    const session: Session = { ...bare, fields };
    const bytes = create.encode(session);
    const events = newEvents(context, { session, revision, nowMs, requestId: call.requestId }, [
      { type: EVENT_TYPE.sessionCreated },
    ]);
    const plan: SessionPlan = {
      fields,
      head: session.head,
      events,
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
    if (!etagAllows(input.etag, session.fields.etagRevision)) throw etagMismatch();
    const bytes = input.encode({ revision });
    const events = newEvents(context, { session, revision, nowMs, requestId: call.requestId }, [
      { type: EVENT_TYPE.sessionDeleted, reason: "request", log: session.head.log },
    ]);
    const plan: SessionPlan = { remove: true, events, ...replyPart(call, nowMs, bytes) };
    return { kind: "save", result: bytes, plan };
  });
}

/** Empties a session. */
export async function resetSession(
  context: ServiceContext,
  call: Call,
  input: ResetSessionInput,
): Promise<Uint8Array> {
  const { namespace, sessionId, keepSystemMessages } = input;
  const nowMs = context.world.nowMs();
  const target = {
    namespace,
    sessionId,
    needWindow: keepSystemMessages,
    allowWhenFull: !keepSystemMessages,
  };
  return await changeSession<Uint8Array>(context, call, target, (view) => {
    const { session, revision } = view;
    if (session === undefined) throw sessionNotFound(sessionId);
    if (!etagAllows(input.etag, session.fields.etagRevision)) throw etagMismatch();
    const kept = keepSystemMessages
      ? (view.window ?? []).filter((entry) => entry.role === ROLE.system)
      : [];
    const totals = totalsOf(kept);
    const log = { messageCount: totals.messageCount, tokenCount: totals.tokenCount };
    const deleted = {
      messageCount: session.head.log.messageCount - log.messageCount,
      tokenCount: session.head.log.tokenCount - log.tokenCount,
    };
    const after: Session = {
      ...session,
      fields: { ...session.fields, summary: undefined, etagRevision: revision },
      head: {
        lastSeq: session.head.lastSeq,
        firstSeq: session.head.lastSeq + 1,
        log,
        window: totals,
        windowRanges: rangesOf(kept),
        updateMs: nowMs,
        revision,
      },
    };
    const bytes = input.encode({ session: after, deleted });
    const events = newEvents(
      context,
      { session: after, revision, nowMs, requestId: call.requestId },
      [{ type: EVENT_TYPE.sessionReset, deleted, kept: log }],
    );
    const plan: SessionPlan = {
      fields: after.fields,
      head: after.head,
      resetLog: true,
      append: kept,
      window: kept,
      events,
      ...replyPart(call, nowMs, bytes),
    };
    return { kind: "save", result: bytes, plan };
  });
}

/** Copies a session up to a seq. */
export async function forkSession(
  context: ServiceContext,
  call: Call,
  input: ForkSessionInput,
): Promise<Uint8Array> {
  checkLive(call.signal);
  const { namespace } = input;
  const source = { namespace, sessionId: input.sourceSessionId };
  const target = {
    namespace,
    sessionId: input.sessionId === "" ? newSessionId(context) : input.sessionId,
  };
  const nowMs = context.world.nowMs();
  // Outside the copy, so that an expired session of that id is really gone when it is published.
  await eraseExpired(context, target);
  const copy = {
    source,
    target,
    requestId: call.requestId,
    signal: call.signal,
    ...(input.atSeq === undefined ? {} : { atSeq: input.atSeq }),
  };
  // Without a seq the newest is meant, at the time of the decision to copy: the one to publish has
  // what was copied up to it, while appends may go on.
  let newest: number | undefined;
  return await context.store.copySession<Uint8Array>(copy, (view) => {
    if (view.copied === undefined) newest = view.source?.head.lastSeq;
    const fork = { ...(newest === undefined ? {} : { atSeq: newest }), ...input };
    return decideFork(context, call, { ...fork, sessionId: target.sessionId, nowMs }, view);
  });
}

function decideFork(
  context: ServiceContext,
  call: Call,
  fork: ForkSessionInput & { readonly nowMs: number },
  view: CopyView,
): CopyDecision<Uint8Array> {
  const replay = replayOf(context, call, view.reply);
  if (replay !== undefined) return { kind: "answer", result: replay };
  const source = liveSession(context, view.source);
  if (source === undefined) throw sessionNotFound(fork.sourceSessionId);
  if (view.target !== undefined) throw sessionAlreadyExists(fork.sessionId);
  const atSeq = fork.atSeq ?? source.head.lastSeq;
  const inHistory = atSeq >= source.head.firstSeq - 1 && atSeq <= source.head.lastSeq;
  if (!inHistory) throw seqOutOfRange(atSeq, source.head.lastSeq);
  const { copied, revision } = view;
  if (copied === undefined) return { kind: "copy", atSeq };
  const { nowMs } = fork;
  const origin = { sessionId: fork.sourceSessionId, seq: atSeq };
  // A tool result may have lost its call since: what no window may hold stays outside, too.
  const bare = { ...source.fields.policy, stages: [] };
  const { window: kept, totals: window } = applyPolicy(copied.window, [], bare);
  const session: Session = {
    namespace: fork.namespace,
    sessionId: fork.sessionId,
    fields: { ...source.fields, forkedFrom: origin, createMs: nowMs, etagRevision: revision },
    head: {
      lastSeq: atSeq,
      firstSeq: source.head.firstSeq,
      log: copied.log,
      window,
      windowRanges: rangesOf(kept),
      updateMs: nowMs,
      revision,
    },
  };
  const bytes = fork.encode(session);
  const events = newEvents(context, { session, revision, nowMs, requestId: call.requestId }, [
    { type: EVENT_TYPE.sessionForked, origin, log: copied.log, window },
  ]);
  const { fields, head } = session;
  return { kind: "save", result: bytes, fields, head, events, ...replyPart(call, nowMs, bytes) };
}
