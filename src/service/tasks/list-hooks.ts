// ListHooks: the hooks of the server, how their calls go, and what a namespace took of them.

import { hourOf } from "../../domain/tasks/budget.ts";
import type { Call } from "../api.ts";
import { checkLive } from "../change.ts";
import type { ServiceContext } from "../context.ts";
import type { HookInfo } from "../tasks-api.ts";
import type { HookState } from "./hook-state.ts";

/** Lists the hooks by name. */
export async function listHooks(
  { store, world, hooks }: ServiceContext,
  states: ReadonlyMap<string, HookState>,
  call: Call,
  namespace: string,
): Promise<readonly HookInfo[]> {
  checkLive(call.signal);
  const hour = hourOf(world.nowMs());
  const infos: HookInfo[] = [];
  for (const [name, state] of states) {
    const { hook, running, callCount, failures } = state;
    const isCalled = hook.summarize !== undefined;
    const breaker = isCalled ? state.breaker : undefined;
    infos.push({
      hook,
      isDefault: name === hooks.defaultSummarizer,
      breaker: breaker?.phase,
      retryMs: breaker?.phase === "open" ? breaker.retryMs : undefined,
      runningCalls: isCalled ? running : 0,
      callCount,
      failures: new Map(failures),
      usage: await store.readUsage(namespace, name, hour),
    });
  }
  return infos;
}
