// The hooks that say how important texts are.

import type { ServiceContext } from "../context.ts";
import { type DirectCall, HookFailure } from "../hook-port.ts";
import { guardedCall } from "../tasks/guarded-call.ts";
import { HookState, type HookStates } from "../tasks/hook-state.ts";

/** How much longer than its own timeout a hook may take before its call is given up. */
const GUARD_MS = 5_000;
/** How long is waited for workers, who have no timeout but their leases. */
const WORKERS_MS = 600_000;

/** Calls the hooks that score. */
export class Scorers {
  readonly #context: ServiceContext;
  readonly #states: HookStates;

  constructor(context: ServiceContext, states: HookStates) {
    this.#context = context;
    this.#states = states;
  }

  /** One score for each text, 0 to 1. Throws HookFailure. */
  async score(
    name: string,
    call: DirectCall,
    texts: readonly string[],
  ): Promise<readonly number[]> {
    if (texts.length === 0) return [];
    const { hooks, world } = this.#context;
    const hook = hooks.byName.get(name);
    const score = hook?.score;
    if (hook === undefined || score === undefined) {
      throw new HookFailure("no-hook", "The server has no hook of this name that scores.");
    }
    const state = this.#states.get(name) ?? new HookState(hook, world);
    const timeoutMs = hook.kind === "poll" ? WORKERS_MS : hook.settings.timeoutMs + GUARD_MS;
    return await guardedCall({ state, world, timeoutMs }, call, texts, async (timed) => {
      const scores = await score(timed, texts);
      if (scores.length !== texts.length || !scores.every(Number.isFinite)) {
        throw new HookFailure("invalid-output", "The hook gave scores of another number or none.");
      }
      return scores.map((one) => Math.min(1, Math.max(0, one)));
    });
  }
}
