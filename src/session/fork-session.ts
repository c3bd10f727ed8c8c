// ForkSession: copies a session up to a seq.

import { isDeepStrictEqual } from "node:util";
import { eraseExpired, liveSession, replayOf, replyPart } from "../core/change.ts";
import type { ServiceContext } from "../core/context.ts";
import { newEvents } from "../core/new-events.ts";
import { currentRecords, readCurrentRecords, summaryAt } from "../core/summary-records.ts";
import { changeWindow } from "../core/window-change.ts";
import { sessionTotals } from "../core/window-view.ts";
import { EVENT_TYPE } from "../events/rules/event.ts";
import { type Call, checkLive } from "../kit/call.ts";
import { seqOutOfRange, sessionAlreadyExists, sessionNotFound } from "../kit/errors.ts";
import type { CopyDecision, CopyView } from "../store/store.ts";
import type { Summary, SummaryRecord } from "../summary/rules/summary.ts";
import { rangesOf } from "../window/rules/ranges.ts";
import type { ForkSessionInput } from "./api.ts";
import {
  EMPTY_POLICY_STATE,
  type ForkOrigin,
  ownerOf,
  type Session,
  type SessionRef,
} from "./rules/session.ts";
import { newSessionId } from "./sessions.ts";

/** The most owners that a fork of forks names. */
const OWNERS_MAX = 100;

/** A fork with what was settled when the copying began. */
interface Fork extends ForkSessionInput {
  readonly nowMs: number;
  /** The source as it was then. */
  readonly begun: Session | undefined;
  /** Its summary as it was at the seq, and what is known of its summaries, by version. */
  readonly past: { readonly summary: Summary | undefined; readonly records: Records };
}

type Records = ReadonlyMap<number, SummaryRecord>;

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
  const past = await summariesOf(context, source, input.atSeq);
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
  let begun: Session | undefined;
  return await context.store.copySession<Uint8Array>(copy, (view) => {
    if (view.copied === undefined) begun = view.source;
    const newest = begun === undefined ? {} : { atSeq: begun.head.lastSeq };
    const fork = { ...newest, ...input, sessionId: target.sessionId, nowMs, begun, past };
    return decideFork(context, call, fork, view);
  });
}

/**
 * The summary as it was at a seq, and the history of the summaries that a fork may take along; one
 * that is set meanwhile is given as it is.
 */
async function summariesOf(
  context: ServiceContext,
  ref: SessionRef,
  atSeq: number | undefined,
): Promise<Fork["past"]> {
  const session = liveSession(context, await context.store.readSession(ref));
  if (session === undefined) return { summary: undefined, records: new Map() };
  const seq = atSeq ?? session.head.lastSeq;
  const summary = await summaryAt(context, ref, session, seq);
  const inUse = { summary, inserts: session.fields.inserts };
  return { summary, records: await readCurrentRecords(context, ref, inUse) };
}

function decideFork(
  context: ServiceContext,
  call: Call,
  fork: Fork,
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
  const session = forkOf(context, fork, { source, atSeq, revision, copied });
  const { nowMs } = fork;
  const bytes = fork.encode(session);
  const { fields, head } = session;
  const origin = { sessionId: fork.sourceSessionId, seq: atSeq };
  const events = newEvents(context, { session, revision, nowMs, requestId: call.requestId }, [
    {
      type: EVENT_TYPE.sessionForked,
      origin,
      log: head.log,
      window: sessionTotals(session),
    },
  ]);
  const known = { record: (version: number) => fork.past.records.get(version) };
  const summaries = currentRecords(fields, context.codec, known);
  const saved = { fields, head, events, summaries, ...replyPart(call, nowMs, bytes) };
  return { kind: "save", result: bytes, ...saved };
}

/** The owners of a copy: those that a source was copied from are not known, it is not either. */
function ownersPart(source: Session): Pick<ForkOrigin, "owners"> {
  const { forkedFrom } = source.fields;
  const before = forkedFrom === undefined ? [] : forkedFrom.owners;
  if (before === undefined) return {};
  const own = ownerOf(source);
  const isKnown = before.some((one) => isDeepStrictEqual(one, own));
  const owners = isKnown ? before : [...before, own];
  return owners.length > OWNERS_MAX ? {} : { owners };
}

/** The copy as it is published. */
function forkOf(
  context: ServiceContext,
  fork: Fork,
  from: {
    readonly source: Session;
    readonly atSeq: number;
    readonly revision: number;
    readonly copied: NonNullable<CopyView["copied"]>;
  },
): Session {
  const { source, atSeq, revision, copied } = from;
  const { nowMs } = fork;
  // Inserts of the window and the state of policies are those of the newest seq: no
  // history of it is kept. When appends went on meanwhile it is that of the start of the copy.
  const newest = [source, fork.begun].find((session) => session?.head.lastSeq === atSeq);
  const bare: Session = {
    namespace: fork.namespace,
    sessionId: fork.sessionId,
    fields: {
      ...source.fields,
      summary: (newest?.fields ?? fork.past).summary,
      inserts: newest?.fields.inserts ?? [],
      forkedFrom: { sessionId: fork.sourceSessionId, seq: atSeq, ...ownersPart(source) },
      createMs: nowMs,
      etagRevision: revision,
    },
    head: {
      lastSeq: atSeq,
      firstSeq: source.head.firstSeq,
      log: copied.log,
      window: source.head.window,
      windowRanges: [],
      policyState: newest?.head.policyState ?? EMPTY_POLICY_STATE,
      updateMs: nowMs,
      revision,
    },
  };
  // A tool result may have lost its call since: what no window may hold stays outside, too.
  const policy = { ...source.fields.policy, stages: [] };
  const stamp = { revision, nowMs };
  const base = { session: bare, window: copied.window, stamp, tasks: () => [] };
  const { fields, head, window } = changeWindow(context, base, [{ occasions: ["append"], policy }]);
  return { ...bare, fields, head: { ...head, windowRanges: rangesOf(window) } };
}
