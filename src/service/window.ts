// GetWindow: the messages that go to the model, and what is left out. Reads only: the stored window
// is looked at through the policy of the session or of the request, now or as of a past seq.

import { seqOutOfRange, sessionNotFound } from "../domain/errors.ts";
import { LIMITS } from "../domain/limits.ts";
import type { Policy } from "../domain/policy.ts";
import type { Session } from "../domain/session.ts";
import { openCallIds } from "../domain/window/groups.ts";
import { newestRanges, outsideRanges } from "../domain/window/ranges.ts";
import { removeSeqs } from "../domain/window/remove-seqs.ts";
import { totalsOf } from "../domain/window/totals.ts";
import { type KnownWindow, trimWindow } from "../domain/window/trim.ts";
import type { SeqRange, Totals, Trim } from "../domain/window/types.ts";
import type { StoredEntry } from "../storage/store.ts";
import type { Call } from "./api.ts";
import type { WindowInput, WindowResult } from "./window-api.ts";
import { checkLive, liveSession } from "./change.ts";
import type { ServiceContext } from "./context.ts";

/** A stored window at some moment. */
interface Stored {
  readonly session: Session;
  readonly window: readonly StoredEntry[];
  readonly ranges: readonly SeqRange[];
  readonly lastSeq: number;
  readonly isPast: boolean;
}

/** Gets the window of a session. */
export async function getWindow(
  context: ServiceContext,
  call: Call,
  input: WindowInput,
): Promise<WindowResult> {
  checkLive(call.signal);
  const stored = await readStored(context, input);
  const { session, window } = stored;
  const known = stored.isPast ? {} : { totals: session.head.window, pairedTo: window.length };
  const view = look(window, { asked: input.policy, own: session.fields.policy }, known);
  const removed = view.trims.flatMap((trim) => trim.removed.map((entry) => entry.seq));
  const ranges = removed.length === 0 ? stored.ranges : removeSeqs(stored.ranges, removed);
  const outside = newestRanges(outsideRanges(ranges, 1, stored.lastSeq), LIMITS.outsideRanges);
  return {
    messages: view.kept.map((entry) => entry.bytes),
    summary: stored.isPast ? undefined : session.fields.summary,
    window: view.totals,
    outside: stored.isPast ? undefined : without(session.head.log, view.totals),
    outsideRanges: outside.ranges,
    outsideTruncated: outside.truncated,
    trims: view.trims,
    openToolCallIds: openCallIds(view.kept).slice(-LIMITS.openToolCallIds),
    // What the policy was at a past seq is not known: today's would judge another window.
    overLimit: (!stored.isPast || input.policy !== undefined) && view.overLimit,
    lastSeq: stored.lastSeq,
    revision: session.head.revision,
  };
}

async function readStored(context: ServiceContext, input: WindowInput): Promise<Stored> {
  const { asOfSeq } = input;
  if (asOfSeq === undefined) {
    const now = await context.store.readWindow(input);
    const session = liveSession(context, now?.session);
    if (now === undefined || session === undefined) throw sessionNotFound(input.sessionId);
    const { windowRanges, lastSeq } = session.head;
    return { session, window: now.window, ranges: windowRanges, lastSeq, isPast: false };
  }
  const then = await context.store.readWindowAt(input, asOfSeq);
  const session = liveSession(context, then?.session);
  if (then === undefined || session === undefined) throw sessionNotFound(input.sessionId);
  if (then.window === undefined) throw seqOutOfRange(asOfSeq, session.head.lastSeq);
  return { session, window: then.window, ranges: then.ranges, lastSeq: asOfSeq, isPast: true };
}

interface View {
  readonly kept: readonly StoredEntry[];
  readonly trims: readonly Trim[];
  readonly totals: Totals;
  readonly overLimit: boolean;
}

/** Looks at a window through the request's policy, or else through the session's. */
function look(
  window: readonly StoredEntry[],
  policies: { readonly asked: Policy | undefined; readonly own: Policy },
  known: KnownWindow,
): View {
  const { asked, own } = policies;
  const outcome = trimWindow(window, asked ?? own, asked === undefined ? "read" : "all", known);
  const isWhole = outcome.trims.length === 0;
  const totals = isWhole && known.totals ? known.totals : totalsOf(outcome.kept);
  return { kept: outcome.kept, trims: outcome.trims, totals, overLimit: outcome.overLimit };
}

function without(all: Totals, part: Totals): Totals {
  return {
    messageCount: all.messageCount - part.messageCount,
    tokenCount: all.tokenCount - part.tokenCount,
  };
}
