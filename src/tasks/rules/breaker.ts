// Backoff of a task after a failed attempt.

import type { TaskFailureReason } from "../../kit/errors.ts";

const FIRST_MS = 1_000;
const MOST_MS = 300_000;
/** Jitter: waits are up to this share shorter or longer, to spread the retries. */
const JITTER = 0.2;

/** Moves a wait by up to 20 percent; `random` is between 0 and 1, and 0.5 leaves it as it is. */
export function jittered(ms: number, random: number): number {
  return Math.round(ms * (1 - JITTER + 2 * JITTER * random));
}

/**
 * Milliseconds to wait after a failure: one second after the first failed attempt, twice as long
 * after each further one, up to 5 minutes, with jitter. A longer delay that the hook or the worker
 * asked for takes precedence. Zero counted attempts wait as long as one.
 */
export function backoffMs(failedAttempts: number, random: number, retryDelayMs = 0): number {
  const doublings = Math.max(0, failedAttempts - 1);
  const ms = Math.min(MOST_MS, FIRST_MS * 2 ** doublings);
  return Math.max(jittered(ms, random), retryDelayMs);
}

// Circuit breaker of a hook: after consecutive failures it blocks calls for a while, then lets a
// single trial call through, whose result decides. Tasks then neither load a hook that is down nor
// use up their attempts on it.

const FAILURES_TO_OPEN = 5;
const FIRST_OPEN_MS = 30_000;
const MOST_OPEN_MS = 300_000;

/** Failures that do not count against the hook: it answered, so it is up. */
const ANSWERED: ReadonlySet<TaskFailureReason> = new Set([
  "invalid-output",
  "empty-output",
  "output-too-long",
  "refused",
]);

/** State of a hook's circuit breaker. */
export interface BreakerState {
  readonly phase: "closed" | "open" | "half-open";
  /** Consecutive failures while closed. */
  readonly failures: number;
  /** Number of openings since it was last closed. */
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

/** Permission for a call: a regular call, the one trial, or none now. */
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

/** Whether a failure counts against the hook. */
export function speaksAgainst(reason: TaskFailureReason): boolean {
  return !ANSWERED.has(reason);
}

/**
 * A call had an answer, valid or not. Answers to calls from before the breaker opened do not close
 * it: only the trial does.
 */
export function onAnswer(state: BreakerState, pass: CallPass): BreakerState {
  return pass === "trial" || state.phase === "closed" ? CLOSED_BREAKER : state;
}

/** A call failed in a way that counts against the hook. `random` is between 0 and 1. */
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

/** A call ended without evidence on the hook, for example because the server stops. */
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
