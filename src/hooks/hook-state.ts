// Hourly budget of direct calls of a hook for each namespace, by the hook's settings. Counted in
// memory since the server started.

import { AppError, type TaskFailureReason } from "../kit/errors.ts";
import { LIMITS } from "../kit/limits.ts";
import { chance, later, type World } from "../kit/world.ts";
import {
  type BreakerState,
  type CallPass,
  CLOSED_BREAKER,
  mayCall,
  onAbandoned,
  onAnswer,
  onCall,
  onFailure,
  speaksAgainst,
} from "../tasks/rules/breaker.ts";
import { type DirectCall, type Hook, HookFailure, type HookSettings, type Hooks } from "./port.ts";

const HOUR_MS = 3_600_000;
const CHARS_PER_TOKEN = 4;
/** Most namespaces that are counted. */
const NAMESPACES_MAX = 10_000;

/** Calls and tokens of a namespace in one hour. */
interface Taken {
  hour: number;
  calls: number;
  tokens: number;
}

/** Counts calls and tokens by namespace. */
export class HourBudget {
  readonly #settings: Pick<HookSettings, "callsPerHour" | "tokensPerHour">;
  readonly #taken = new Map<string, Taken>();

  constructor(settings: Pick<HookSettings, "callsPerHour" | "tokensPerHour">) {
    this.#settings = settings;
  }

  /** Counts a call with these texts if it may go out; false when the hour is used up. */
  take(namespace: string, texts: readonly string[], nowMs: number): boolean {
    const { callsPerHour, tokensPerHour } = this.#settings;
    const taken = this.#of(namespace, Math.floor(nowMs / HOUR_MS));
    if (callsPerHour > 0 && taken.calls >= callsPerHour) return false;
    if (tokensPerHour > 0 && taken.tokens >= tokensPerHour) return false;
    taken.calls += 1;
    const chars = texts.reduce((sum, text) => sum + text.length, 0);
    taken.tokens += Math.ceil(chars / CHARS_PER_TOKEN);
    return true;
  }

  /** Calls and tokens that a namespace has used in the current hour. */
  used(namespace: string, nowMs: number): Readonly<Omit<Taken, "hour">> {
    const taken = this.#taken.get(namespace);
    return taken?.hour === Math.floor(nowMs / HOUR_MS) ? taken : { calls: 0, tokens: 0 };
  }

  #of(namespace: string, hour: number): Taken {
    let taken = this.#taken.get(namespace);
    if (taken?.hour === hour) return taken;
    if (this.#taken.size >= NAMESPACES_MAX) this.#taken.clear();
    taken = { hour, calls: 0, tokens: 0 };
    this.#taken.set(namespace, taken);
    return taken;
  }
}

// State of each hook while the server runs: calls in progress, their outcomes, and when the next
// may go out. A restart clears it and tries again.

/** Shortest time between two reports of failed attempts, for each hook and reason. */
const FAILED_EVERY_MS = 60_000;

/** Event of a hook that operators should see at once. Holds no text from the hook. */
export type HookNews =
  | {
      readonly kind: "failed";
      readonly hook: string;
      readonly reason: TaskFailureReason;
      /** Attempts that failed for this reason since the last report. */
      readonly count: number;
    }
  | {
      /** No call goes out for a while. */
      readonly kind: "down";
      readonly hook: string;
      readonly reason: TaskFailureReason;
      readonly waitMs: number;
    }
  | { readonly kind: "up"; readonly hook: string };

/** Failures of one reason that are not yet reported. */
interface Untold {
  readonly count: number;
  readonly toldMs: number;
}

/** The calls of one hook. */
export class HookState {
  readonly hook: Hook;
  /** Budget of direct calls. The store holds that of tasks. */
  readonly budget: HourBudget;
  readonly #world: World;
  #breaker: BreakerState = CLOSED_BREAKER;
  #pausedMs = 0;
  #running = 0;
  #callCount = 0;
  /** The sources of failures since the last answer. */
  readonly #blamed = new Set<string>();
  readonly #failures = new Map<TaskFailureReason, number>();
  readonly #untold = new Map<TaskFailureReason, Untold>();
  readonly #tell: (news: HookNews) => void;

  constructor(hook: Hook, world: World, tell: (news: HookNews) => void = () => {}) {
    this.hook = hook;
    this.budget = new HourBudget(hook.settings);
    this.#world = world;
    this.#tell = tell;
  }

  get running(): number {
    return this.#running;
  }

  get callCount(): number {
    return this.#callCount;
  }

  get failures(): ReadonlyMap<TaskFailureReason, number> {
    return this.#failures;
  }

  get breaker(): BreakerState {
    return this.#breaker;
  }

  /** Whether a call may go out now. */
  pass(): CallPass {
    const nowMs = this.#world.nowMs();
    return nowMs < this.#pausedMs ? "wait" : mayCall(this.#breaker, nowMs);
  }

  /** When the next call may go out; undefined when that depends on a running one. */
  nextCallMs(): number | undefined {
    if (this.#breaker.phase === "half-open") return undefined;
    return Math.max(this.#pausedMs, this.#breaker.retryMs);
  }

  /** Counts a task that went to a worker. */
  given(): void {
    this.#callCount += 1;
  }

  /** Counts a failed attempt. */
  failed(reason: TaskFailureReason): void {
    this.#failures.set(reason, (this.#failures.get(reason) ?? 0) + 1);
    const nowMs = this.#world.nowMs();
    const { count, toldMs } = this.#untold.get(reason) ?? { count: 0, toldMs: -Infinity };
    const isDue = nowMs - toldMs >= FAILED_EVERY_MS;
    this.#untold.set(reason, isDue ? { count: 0, toldMs: nowMs } : { count: count + 1, toldMs });
    if (isDue) this.#tell({ kind: "failed", hook: this.hook.name, reason, count: count + 1 });
  }

  /** A call goes out. Ends with one of the four below. */
  begin(pass: CallPass): void {
    this.#running += 1;
    this.#callCount += 1;
    this.#breaker = onCall(this.#breaker, pass);
  }

  /** The call had an answer. */
  answered(pass: CallPass): void {
    this.#running -= 1;
    this.#blamed.clear();
    const wasDown = this.#breaker.openings > 0;
    this.#breaker = onAnswer(this.#breaker, pass);
    if (wasDown && this.#breaker.openings === 0) this.#tell({ kind: "up", hook: this.hook.name });
  }

  /**
   * The call failed. Until the next answer, only one failure of each source counts against the
   * hook: the others may be the fault of the source's input.
   */
  callFailed(pass: CallPass, failure: HookFailure, source?: string): void {
    const { reason, retryDelayMs } = failure;
    this.failed(reason);
    if (reason === "no-hook" || !speaksAgainst(reason)) {
      this.answered(pass);
    } else if (pass !== "trial" && this.#isBlamed(source, reason)) {
      this.#running -= 1;
    } else {
      this.#running -= 1;
      const at = { nowMs: this.#world.nowMs(), random: chance(this.#world) };
      const { openings } = this.#breaker;
      this.#breaker = onFailure(this.#breaker, pass, at);
      if (this.#breaker.openings > openings) {
        const waitMs = this.#breaker.retryMs - at.nowMs;
        this.#tell({ kind: "down", hook: this.hook.name, reason, waitMs });
      }
    }
    if (retryDelayMs === undefined || reason === "no-hook") return;
    const ms = Math.min(retryDelayMs, LIMITS.retryDelayMsMax);
    this.#pausedMs = Math.max(this.#pausedMs, this.#world.nowMs() + ms);
  }

  /** Records a failed source; true if it failed before. An unreachable hook received no input. */
  #isBlamed(source: string | undefined, reason: TaskFailureReason): boolean {
    if (source === undefined || reason === "unreachable" || reason === "busy") return false;
    if (this.#blamed.has(source)) return true;
    this.#blamed.add(source);
    return false;
  }

  /** The call ended without evidence for or against the hook. */
  abandoned(pass: CallPass): void {
    this.#running -= 1;
    this.#breaker = onAbandoned(this.#breaker, pass, this.#world.nowMs());
  }
}

/** Retry interval of tasks whose hook is gone. */
const GONE_RETRY_MS = 3_600_000;

/**
 * A hook that is no longer in the configuration. Its tasks fail with `no-hook`, which uses up no
 * attempts: a name removed by mistake can be restored within a day.
 */
export function goneHook(name: string): Hook {
  const message = "No hook of this name is configured.";
  const failure = new HookFailure("no-hook", message, GONE_RETRY_MS);
  return {
    name,
    kind: "builtin",
    settings: {
      ...{ timeoutMs: 1_000, concurrency: 1, maxAttempts: 1, callsPerHour: 0, tokensPerHour: 0 },
      inputTokensMax: 1,
    },
    summarize: async () => {
      throw failure;
    },
  };
}

/** States of the hooks by name. */
export type HookStates = ReadonlyMap<string, HookState>;

/** The states of all hooks by name. */
export function hookStatesOf(
  hooks: Hooks,
  world: World,
  tell?: (news: HookNews) => void,
): HookStates {
  const sorted = [...hooks.byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  return new Map(sorted.map((hook) => [hook.name, new HookState(hook, world, tell)]));
}

/** Whether a retry may help. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof AppError)) return false;
  const { reason } = error;
  return reason === "STORE_FULL" || reason === "SHUTTING_DOWN" || reason === "OVERLOADED";
}

// A direct call of a hook, whose caller waits. It is refused while the hook rests or the namespace
// has used up its budget, ends at its timeout, and its outcome counts for or against the hook.

/** Time beyond a hook's own timeout after which its call is given up. */
export const GUARD_MS = 5_000;
/** Time to wait for workers, whose only timeout is their lease. */
const WORKERS_MS = 600_000;

/** A hook, and how long a call of it may take. */
export interface GuardedHook {
  readonly state: HookState;
  readonly world: World;
  /** Undefined for no limit but that of the hook. */
  readonly timeoutMs: number | undefined;
}

/** The guard of calls that wait for as long as the hook itself may take. */
export function guardOf(
  parts: { readonly context: { readonly world: World }; readonly states: HookStates },
  hook: Hook,
): GuardedHook {
  const { world } = parts.context;
  const timeoutMs = hook.kind === "poll" ? WORKERS_MS : hook.settings.timeoutMs + GUARD_MS;
  return { state: parts.states.get(hook.name) ?? new HookState(hook, world), world, timeoutMs };
}

/** Calls a hook with these texts. Whatever `work` throws ends as a HookFailure. */
export async function guardedCall<T>(
  { state, world, timeoutMs }: GuardedHook,
  call: DirectCall,
  texts: readonly string[],
  work: (call: DirectCall) => Promise<T>,
): Promise<T> {
  // The work of polling workers is counted when they take it and return it, and their polls show
  // whether any are connected.
  const calls = state.hook.kind === "poll" ? undefined : state;
  const pass = calls?.pass() ?? "call";
  if (pass === "wait") throw new HookFailure("busy", "The hook is paused after repeated failures.");
  if (!state.budget.take(call.namespace, texts, world.nowMs())) {
    throw new HookFailure("busy", "The namespace has used up its hourly budget for the hook.");
  }
  calls?.begin(pass);
  try {
    const answer = await inTime(call, { world, timeoutMs }, work);
    calls?.answered(pass);
    return answer;
  } catch (error) {
    const failure = asHookFailure(error);
    // A call that its caller has given up is no evidence against the hook.
    if (call.signal.aborted) calls?.abandoned(pass);
    else calls?.callFailed(pass, failure, sourceOf(call));
    throw failure;
  }
}

/** An error of a hook as a failure. Other messages may hold content and are dropped. */
export function asHookFailure(error: unknown): HookFailure {
  return error instanceof HookFailure ? error : new HookFailure("hook-error", "The hook failed.");
}

/** The session whose input a call is about, if any. */
function sourceOf({ namespace, sessionId = "" }: DirectCall): string | undefined {
  return sessionId === "" ? undefined : JSON.stringify([namespace, sessionId]);
}

/** Does work that ends at its timeout, or when its caller is gone, whatever the hook does. */
export async function inTime<C extends { readonly signal: AbortSignal }, T>(
  call: C,
  { world, timeoutMs }: Pick<GuardedHook, "world" | "timeoutMs">,
  work: (call: C) => Promise<T>,
): Promise<T> {
  if (call.signal.aborted) throw givenUp();
  const over = Promise.withResolvers<never>();
  const gone = (): void => over.reject(givenUp());
  call.signal.addEventListener("abort", gone, { once: true });
  const late = new AbortController();
  const end = (): void => {
    over.reject(new HookFailure("timeout", "The hook timed out."));
    late.abort();
  };
  const cancel = timeoutMs === undefined ? () => {} : later(world, end, timeoutMs);
  const signal = AbortSignal.any([call.signal, late.signal]);
  try {
    return await Promise.race([over.promise, work({ ...call, signal })]);
  } finally {
    cancel();
    call.signal.removeEventListener("abort", gone);
  }
}

function givenUp(): HookFailure {
  return new HookFailure("unreachable", "The call was given up.");
}
