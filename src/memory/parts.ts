// The parts of long-term memory, and how it calls hooks.

import type { ServiceContext } from "../core/context.ts";
import { type GuardedHook, guardedCall, HookState, type HookStates } from "../hooks/hook-state.ts";
import { type DirectCall, type Hook, HookFailure } from "../hooks/port.ts";
import { hookNotConfigured } from "../kit/errors.ts";
import { LIMITS } from "../kit/limits.ts";
import type { Pace } from "../kit/semaphore.ts";
import type { MemoryCodec } from "../recall/api.ts";
import type { Resolution, ResolveInput } from "./rules/extracted.ts";

/** Made once by createMemories. */
export interface MemoryParts {
  readonly context: ServiceContext;
  readonly codec: MemoryCodec;
  /** Long scans take one piece in each turn of the event loop. */
  readonly pace: Pace;
  readonly states: HookStates;
}

/** The parts that calls of hooks need. */
export type HookParts = Pick<MemoryParts, "context" | "states">;

/** Time beyond its own timeout after which a call of a hook is given up. */
const GUARD_MS = 5_000;
/** Time to wait for workers, whose only timeout is their lease. */
const WORKERS_MS = 600_000;

/** The guard of calls of a hook that waits for as long as the hook itself may take. */
export function guardOf({ context, states }: HookParts, hook: Hook): GuardedHook {
  const { world } = context;
  const timeoutMs = hook.kind === "poll" ? WORKERS_MS : hook.settings.timeoutMs + GUARD_MS;
  return { state: states.get(hook.name) ?? new HookState(hook, world), world, timeoutMs };
}

/** Time limit for one answer about a contradiction. */
const RESOLVE_TIMEOUT_MS = 4_000;

/** Asks a hook how to settle a contradiction with a new memory. Throws HookFailure. */
export type Resolver = (call: DirectCall, input: ResolveInput) => Promise<Resolution>;

/** The resolver of a name, empty for the default. Throws HOOK_NOT_CONFIGURED. */
export function resolverOf(parts: HookParts, asked: string): Resolver {
  const { hooks } = parts.context;
  const name = asked === "" ? hooks.defaultResolver : asked;
  const hook = name === undefined ? undefined : hooks.byName.get(name);
  const resolve = hook?.resolve;
  if (hook === undefined || resolve === undefined) {
    throw hookNotConfigured(name ?? "", problemOf(name, hook));
  }
  const guarded = { ...guardOf(parts, hook), timeoutMs: RESOLVE_TIMEOUT_MS };
  return (call, input) =>
    guardedCall(guarded, call, [input.text, ...input.known], async (timed) => {
      const resolution = await resolve(timed, input);
      const bytes = resolution.action === "merge" ? Buffer.byteLength(resolution.text) : 1;
      if (bytes > 0 && bytes <= LIMITS.memoryTextBytes) return resolution;
      throw new HookFailure("invalid-output", "The hook gave a text that is empty or too long.");
    });
}

function problemOf(name: string | undefined, hook: Hook | undefined): string {
  if (name === undefined) return "conflict.hook is empty and the server has no default resolver.";
  if (hook === undefined) return "The server has no resolver of this name.";
  return "The hook of this name is not a resolver: `resolve` is missing from `does` in its settings.";
}
