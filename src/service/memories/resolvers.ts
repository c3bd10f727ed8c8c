// The hooks that say what becomes of memories that contradict a new one.

import { hookNotConfigured } from "../../domain/errors.ts";
import { LIMITS } from "../../domain/limits.ts";
import type { Resolution, ResolveInput } from "../../domain/memories/extracted.ts";
import type { ServiceContext } from "../context.ts";
import { type DirectCall, type Hook, HookFailure } from "../hook-port.ts";
import { type GuardedHook, guardedCall } from "../tasks/guarded-call.ts";
import { HookState, type HookStates } from "../tasks/hook-state.ts";

/** How long one answer may take. */
const RESOLVE_TIMEOUT_MS = 4_000;

/** Asks a hook. Throws HookFailure. */
export type Resolver = (call: DirectCall, input: ResolveInput) => Promise<Resolution>;

/** Calls the hooks that settle contradictions. */
export class Resolvers {
  readonly #context: ServiceContext;
  readonly #states: HookStates;

  constructor(context: ServiceContext, states: HookStates) {
    this.#context = context;
    this.#states = states;
  }

  /** The hook of a name, empty for the default. Throws HOOK_NOT_CONFIGURED. */
  of(asked: string): Resolver {
    const { hooks, world } = this.#context;
    const name = asked === "" ? hooks.defaultResolver : asked;
    const hook = name === undefined ? undefined : hooks.byName.get(name);
    const resolve = hook?.resolve;
    if (hook === undefined || resolve === undefined) {
      throw hookNotConfigured(name ?? "", problemOf(name, hook));
    }
    const state = this.#states.get(hook.name) ?? new HookState(hook, world);
    const guarded: GuardedHook = { state, world, timeoutMs: RESOLVE_TIMEOUT_MS };
    return (call, input) =>
      guardedCall(guarded, call, [input.text, ...input.known], async (timed) =>
        checked(await resolve(timed, input)),
      );
  }
}

function problemOf(name: string | undefined, hook: Hook | undefined): string {
  if (name === undefined) return "conflict.hook is empty and the server has no default resolver.";
  if (hook === undefined) return "The server has no resolver of this name.";
  return "The hook of this name is no resolver: its settings do not say that it does resolve.";
}

function checked(resolution: Resolution): Resolution {
  if (resolution.action !== "merge") return resolution;
  const bytes = Buffer.byteLength(resolution.text);
  if (bytes > 0 && bytes <= LIMITS.memoryTextBytes) return resolution;
  throw new HookFailure("invalid-output", "The hook gave a text that is empty or too long.");
}
