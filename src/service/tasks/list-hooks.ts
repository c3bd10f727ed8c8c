// ListHooks: the hooks of the server, how their calls go, and what a namespace took of them.

import { hourOf } from "../../domain/tasks/budget.ts";
import type { Call } from "../api.ts";
import { checkLive } from "../change.ts";
import type { ServiceContext } from "../context.ts";
import { type Hooks, summarizesByWorkers } from "../hook-port.ts";
import type { HookInfo, HookPage, ListHooksInput } from "../tasks-api.ts";
import type { HookStates } from "./hook-state.ts";

/** Lists the hooks after a name, by name. */
export async function listHooks(
  { store, world, hooks }: ServiceContext,
  states: HookStates,
  call: Call,
  { namespace, after, limit }: ListHooksInput,
): Promise<HookPage> {
  checkLive(call.signal);
  const nowMs = world.nowMs();
  const hour = hourOf(nowMs);
  const infos: HookInfo[] = [];
  for (const [name, state] of states) {
    if (name <= after) continue;
    if (infos.length === limit) return { hooks: infos, next: infos.at(-1)?.hook.name };
    const { hook, running, callCount, failures } = state;
    const isCalled = hook.kind !== "poll";
    // What is no task is counted in memory only.
    const isDirect = hook.summarize === undefined && !summarizesByWorkers(hook);
    const breaker = isCalled ? state.breaker : undefined;
    infos.push({
      hook,
      isDefault: isDefault(hooks, name),
      breaker: breaker?.phase,
      retryMs: breaker?.phase === "open" ? breaker.retryMs : undefined,
      runningCalls: isCalled ? running : 0,
      callCount,
      failures: new Map(failures),
      usage: isDirect
        ? state.budget.used(namespace, nowMs)
        : await store.readUsage(namespace, name, hour),
    });
  }
  return { hooks: infos, next: undefined };
}

/** Whether a hook is used where none is named, for whatever it does. */
function isDefault({ embedder, ...hooks }: Hooks, name: string): boolean {
  const embeds = embedder?.kind === "hook" && embedder.hook === name;
  const { defaultSummarizer, defaultReranker, defaultResolver } = hooks;
  return embeds || [defaultSummarizer, defaultReranker, defaultResolver].includes(name);
}
