// One call of a hook that somebody waits for: not made while the hook is left alone or the
// namespace has used it up, ended when it takes too long, and counted for or against the hook.

import type { ServiceContext } from "../context.ts";
import { type DirectCall, HookFailure } from "../hook-port.ts";
import type { HookState } from "./hook-state.ts";
import { later } from "./later.ts";

/** Whom a call goes to, and what it costs. */
export interface GuardedHook {
  readonly state: HookState;
  readonly world: ServiceContext["world"];
  readonly timeoutMs: number;
}

/** Calls a hook with these texts. Whatever `work` throws ends as a HookFailure. */
export async function guardedCall<T>(
  { state, world, timeoutMs }: GuardedHook,
  call: DirectCall,
  texts: readonly string[],
  work: (call: DirectCall) => Promise<T>,
): Promise<T> {
  // What workers do is counted where they take it and bring it, and whether there are some is known
  // by their polls.
  const calls = state.hook.kind === "poll" ? undefined : state;
  const pass = calls?.pass() ?? "call";
  if (pass === "wait") throw new HookFailure("busy", "The hook is left alone for a while.");
  if (!state.budget.take(call.namespace, texts, world.nowMs())) {
    throw new HookFailure("busy", "The namespace has used up the hook for this hour.");
  }
  calls?.begin(pass);
  try {
    const answer = await inTime(call, { world, timeoutMs }, work);
    calls?.answered(pass);
    return answer;
  } catch (error) {
    const failure =
      error instanceof HookFailure ? error : new HookFailure("hook-error", "The hook failed.");
    // A call that nobody waits for says nothing of the hook.
    if (call.signal.aborted) calls?.abandoned(pass);
    else calls?.callFailed(pass, failure, sourceOf(call));
    throw failure;
  }
}

/** Whose input a call is about; undefined when that is no session. */
function sourceOf({ namespace, sessionId = "" }: DirectCall): string | undefined {
  return sessionId === "" ? undefined : JSON.stringify([namespace, sessionId]);
}

async function inTime<T>(
  call: DirectCall,
  { world, timeoutMs }: Pick<GuardedHook, "world" | "timeoutMs">,
  work: (call: DirectCall) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const over = Promise.withResolvers<never>();
  const end = (): void => {
    over.reject(new HookFailure("timeout", "The hook took too long."));
    late.abort();
  };
  const cancel = later(world, end, timeoutMs);
  const signal = AbortSignal.any([call.signal, late.signal]);
  try {
    return await Promise.race([work({ ...call, signal }), over.promise]);
  } finally {
    cancel();
  }
}
