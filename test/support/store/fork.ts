// A copy of a session, as an action for tests of the storage.

import { EVENT_TYPE } from "../../../src/events/rules/event.ts";
import { seqOutOfRange, sessionAlreadyExists, sessionNotFound } from "../../../src/kit/errors.ts";
import type { CopyDecision, CopyView, Store } from "../../../src/store/store.ts";
import {
  type ActionBase,
  type ActionResult,
  eventsOf,
  isYoung,
  replayed,
  replyTo,
} from "./action-types.ts";
import { newSummary, rangesOf, totalsOf } from "./plans.ts";

/** A copy of one session into another of the same namespace. */
export interface ForkAction extends ActionBase {
  readonly kind: "fork";
  readonly target: string;
  readonly atSeq?: number;
  /** Number of the oldest messages of the window that the copy leaves out. Default 0. */
  readonly leaveOut?: number;
  /** The copy begins with a summary of the newest version. Default false. */
  readonly summary?: boolean;
}

/** Copies a session. */
export function fork(
  store: Store,
  action: ForkAction,
  signal?: AbortSignal,
): Promise<ActionResult> {
  const { namespace, sessionId, target, atSeq, requestId } = action;
  const copy = {
    source: { namespace, sessionId },
    target: { namespace, sessionId: target },
    ...(atSeq === undefined ? {} : { atSeq }),
    ...(requestId === undefined ? {} : { requestId }),
    ...(signal === undefined ? {} : { signal }),
  };
  // The newest seq is that of the decision to copy: the one to save has what was copied up to it.
  let newest = 0;
  return store.copySession<ActionResult>(copy, (view) => {
    if (view.copied === undefined) newest = view.source?.head.lastSeq ?? 0;
    return decideFork(action, atSeq ?? newest, view);
  });
}

function decideFork(action: ForkAction, atSeq: number, view: CopyView): CopyDecision<ActionResult> {
  if (isYoung(view.reply, action.nowMs)) return { kind: "answer", result: replayed(view.reply) };
  const { source, copied, revision } = view;
  if (source === undefined) throw sessionNotFound(action.sessionId);
  if (view.target !== undefined) throw sessionAlreadyExists(action.target);
  const { firstSeq, lastSeq } = source.head;
  if (atSeq < firstSeq - 1 || atSeq > lastSeq) throw seqOutOfRange(atSeq, lastSeq);
  if (copied === undefined) return { kind: "copy", atSeq };
  const { namespace, target, nowMs } = action;
  const window = copied.window.slice(action.leaveOut ?? 0);
  const seqs = window.map(({ seq }) => seq);
  const forkedFrom = { sessionId: action.sessionId, seq: atSeq };
  const fields = { ...source.fields, forkedFrom, createMs: nowMs, etagRevision: revision };
  const head = {
    lastSeq: atSeq,
    firstSeq,
    log: copied.log,
    window: totalsOf(window),
    windowRanges: rangesOf(seqs),
    policyState: source.head.policyState,
    updateMs: nowMs,
    revision,
  };
  const session = { namespace, sessionId: target, fields, head };
  const events = eventsOf(action, view, session, [EVENT_TYPE.sessionForked]);
  const result = { revision, lastSeq: atSeq, window: seqs, messages: [] };
  const reply = action.requestId === undefined ? {} : { reply: replyTo(action, result) };
  const version = fields.summaryVersion;
  const summaries = action.summary === true && version > 0 ? [newSummary({ version })] : [];
  return { kind: "save", result, fields, head, events, summaries, ...reply };
}
