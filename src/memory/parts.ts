// The parts of long-term memory, and how it calls hooks.

import type { ServiceContext } from "../core/context.ts";
import { guardedCall, guardOf, type HookStates } from "../hooks/hook-state.ts";
import { askedHook, type DirectCall, HookFailure } from "../hooks/port.ts";
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

/** Time limit for one answer about a contradiction. */
const RESOLVE_TIMEOUT_MS = 4_000;

/** Asks a hook how to settle a contradiction with a new memory. Throws HookFailure. */
export type Resolver = (call: DirectCall, input: ResolveInput) => Promise<Resolution>;

/** The resolver of a name, empty for the default. Throws HOOK_NOT_CONFIGURED. */
export function resolverOf(parts: HookParts, asked: string): Resolver {
  const hook = askedHook(parts.context.hooks, "resolve", asked);
  const guarded = { ...guardOf(parts, hook), timeoutMs: RESOLVE_TIMEOUT_MS };
  return (call, input) =>
    guardedCall(guarded, call, [input.text, ...input.known], async (timed) => {
      const resolution = await hook.resolve(timed, input);
      const bytes = resolution.action === "merge" ? Buffer.byteLength(resolution.text) : 1;
      if (bytes > 0 && bytes <= LIMITS.memoryTextBytes) return resolution;
      throw new HookFailure("invalid-output", "The hook gave a text that is empty or too long.");
    });
}
