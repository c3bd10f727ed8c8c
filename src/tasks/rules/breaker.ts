// The breaker of a hook: after failures in a row it lets no call through for a while, then a single
// trial call, whose result decides. It keeps a hook that is down from being asked by every task,
// and tasks from using up their attempts on it.

import { jittered } from "./backoff.ts";
import type { TaskFailureReason } from "./task.ts";

const FAILURES_TO_OPEN = 5;
const FIRST_OPEN_MS = 30_000;
const MOST_OPEN_MS = 300_000;

/** The failures that say nothing against the hook: it answered, and is up. */
const ANSWERED: ReadonlySet<TaskFailureReason> = new Set([
  "invalid-output",
  "empty-output",
  "output-too-long",
  "refused",
]);

/** What the breaker of a hook knows. */
export interface BreakerState {
  readonly phase: "closed" | "open" | "half-open";
  /** In a row, while it is closed. */
  readonly failures: number;
  /** How often it opened since it was last closed. */
  readonly openings: number;
  /** While open: when a trial call may go out. Else 0. */
  readonly retryMs: number;
}

/** Calls go through, and none has failed. */
export const CLOSED_BREAKER: BreakerState = {
  phase: "closed",
  failures: 0,
  openings: 0,
  retryMs: 0,
};

/** How a call may go out: as any other, as the one trial, or not now. */
export type CallPass = "call" | "trial" | "wait";

/** Whether a call may go out now. */
export function mayCall(state: BreakerState, nowMs: number): CallPass {
  if (state.phase === "closed") return "call";
  return state.phase === "open" && nowMs >= state.retryMs ? "trial" : "wait";
}

/** A call goes out. */
export function onCall(state: BreakerState, pass: CallPass): BreakerState {
  return pass === "trial" ? { ...state, phase: "half-open", retryMs: 0 } : state;
}

/** Whether a failure speaks against the hook. */
export function speaksAgainst(reason: TaskFailureReason): boolean {
  return !ANSWERED.has(reason);
}

/**
 * A call had an answer, of whatever worth. Answers to calls from before the breaker opened do not
 * close it: only the trial does.
 */
export function onAnswer(state: BreakerState, pass: CallPass): BreakerState {
  return pass === "trial" || state.phase === "closed" ? CLOSED_BREAKER : state;
}

/** A call failed in a way that speaks against the hook. `random` is between 0 and 1. */
export function onFailure(
  state: BreakerState,
  pass: CallPass,
  at: { readonly nowMs: number; readonly random: number },
): BreakerState {
  if (pass === "trial") return opened(state, at);
  if (state.phase !== "closed") return state;
  const failures = state.failures + 1;
  return failures < FAILURES_TO_OPEN ? { ...state, failures } : opened(state, at);
}

/** A call ended without telling anything of the hook, for example because the server stops. */
export function onAbandoned(state: BreakerState, pass: CallPass, nowMs: number): BreakerState {
  return pass === "trial" ? { ...state, phase: "open", retryMs: nowMs } : state;
}

function opened(
  state: BreakerState,
  { nowMs, random }: { readonly nowMs: number; readonly random: number },
): BreakerState {
  const ms = Math.min(MOST_OPEN_MS, FIRST_OPEN_MS * 2 ** state.openings);
  return {
    phase: "open",
    failures: 0,
    openings: state.openings + 1,
    retryMs: nowMs + jittered(ms, random),
  };
}
