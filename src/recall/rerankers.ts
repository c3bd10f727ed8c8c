// The hooks that put hits in order: which one a call means, and when it is not asked because it
// failed too often or the namespace has used it up. A search waits ten seconds for an order.

import { hookNotConfigured } from "../../domain/errors.ts";
import type { ServiceContext } from "../context.ts";
import { type Hook, HookFailure } from "../hook-port.ts";
import type { RecallInput } from "../recall-api.ts";
import { guardedCall } from "../tasks/guarded-call.ts";
import { HookState, type HookStates } from "../tasks/hook-state.ts";

/** How long a search waits for an order. */
const ORDER_TIMEOUT_MS = 10_000;

/** Scores texts, as a hook does. Throws HookFailure. */
type Rerank = NonNullable<Hook["rerank"]>;

/** A hook that reranks, and how many hits it gets. */
export interface Reranker {
  readonly rerank: Rerank;
  readonly candidates: number;
}

/** Calls the hooks that put hits in order. */
export class Rerankers {
  readonly #context: ServiceContext;
  readonly #states: HookStates;
  readonly #reranks = new Map<string, Rerank>();

  constructor(context: ServiceContext, states: HookStates) {
    this.#context = context;
    this.#states = states;
  }

  /** The reranker that a call asks for. Throws HOOK_NOT_CONFIGURED. */
  of(asked: RecallInput["rerank"]): Reranker | undefined {
    if (asked === undefined) return undefined;
    const { hooks, world } = this.#context;
    const name = asked.hook === "" ? hooks.defaultReranker : asked.hook;
    const hook = name === undefined ? undefined : hooks.byName.get(name);
    if (hook?.rerank === undefined) {
      throw hookNotConfigured(name ?? "", problemOf(name, hook));
    }
    const state = this.#states.get(hook.name) ?? new HookState(hook, world);
    const rerank = this.#reranks.get(hook.name) ?? guarded(hook.rerank, state, world);
    this.#reranks.set(hook.name, rerank);
    return { rerank, candidates: asked.candidates };
  }
}

function problemOf(name: string | undefined, hook: Hook | undefined): string {
  if (name === undefined) return "rerank.hook is empty and the server has no default reranker.";
  if (hook === undefined) return "The server has no reranker of this name.";
  return "The hook of this name is no reranker: its settings do not say that it does rerank.";
}

function guarded(rerank: Rerank, state: HookState, world: ServiceContext["world"]): Rerank {
  const hook = { state, world, timeoutMs: ORDER_TIMEOUT_MS };
  return (call, query, texts) =>
    guardedCall(hook, call, [query, ...texts], async (timed) => {
      const scores = await rerank(timed, query, texts);
      if (scores.length !== texts.length || !scores.every(Number.isFinite)) {
        throw new HookFailure("invalid-output", "The hook gave scores of another number or none.");
      }
      return scores;
    });
}
