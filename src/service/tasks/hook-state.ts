// What the server remembers of its hooks while it runs: who is called, how calls went, and when
// the next may go out. Gone at a restart, which tries once more.

import { LIMITS } from "../../domain/limits.ts";
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
} from "../../domain/tasks/breaker.ts";
import type { TaskFailureReason } from "../../domain/tasks/task.ts";
import type { World } from "../api.ts";
import { type Hook, HookFailure, type Hooks } from "../hook-port.ts";
import { HourBudget } from "../recall/budget.ts";
import { chance } from "./later.ts";

/** How often the log hears that attempts fail, for each hook and reason. */
const FAILED_EVERY_MS = 60_000;

/** What an operator wants to hear of a hook at once. Holds nothing that a hook said. */
export type HookNews =
  | {
      readonly kind: "failed";
      readonly hook: string;
      readonly reason: TaskFailureReason;
      /** How many attempts failed so since it was told last. */
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

/** The failures of one reason that nobody was told of yet. */
interface Untold {
  readonly count: number;
  readonly toldMs: number;
}

/** The calls of one hook. */
export class HookState {
  readonly hook: Hook;
  /** Of calls while somebody waits. That of tasks is in the store. */
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

  /** When a call may go out that may not now; undefined when that depends on a running one. */
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
   * The call failed. Of the failures of one source until the next answer, one speaks against the
   * hook: the others may be the fault of what it was given.
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

  /** Whether a source failed before; notes it. A hook that cannot be reached was given nothing. */
  #isBlamed(source: string | undefined, reason: TaskFailureReason): boolean {
    if (source === undefined || reason === "unreachable" || reason === "busy") return false;
    if (this.#blamed.has(source)) return true;
    this.#blamed.add(source);
    return false;
  }

  /** The call ended without telling anything of the hook. */
  abandoned(pass: CallPass): void {
    this.#running -= 1;
    this.#breaker = onAbandoned(this.#breaker, pass, this.#world.nowMs());
  }
}

/** How often a task is looked at whose hook is gone. */
const GONE_RETRY_MS = 3_600_000;

/**
 * A hook that is not in the configuration any more. Its tasks fail with `no-hook`, which uses up no
 * attempts: a name that is missing by mistake can be put back within a day.
 */
export function goneHook(name: string): Hook {
  const failure = new HookFailure("no-hook", "The server is not configured with this hook.", {
    retryDelayMs: GONE_RETRY_MS,
  });
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

/** What is remembered of each hook, by name. */
export type HookStates = ReadonlyMap<string, HookState>;

/** The states of all hooks by name. */
export function hookStatesOf(
  hooks: Hooks,
  world: World,
  tell?: (news: HookNews) => void,
): HookStates {
  const names = [...hooks.byName.keys()].sort();
  const states = new Map<string, HookState>();
  for (const name of names) {
    const hook = hooks.byName.get(name);
    if (hook !== undefined) states.set(name, new HookState(hook, world, tell));
  }
  return states;
}
