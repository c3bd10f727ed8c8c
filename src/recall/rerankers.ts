// The hooks that put hits in order: which one a call means, and when it is not asked because it
// failed too often or the namespace has used it up. A search waits ten seconds for an order.

import type { ServiceContext } from "../core/context.ts";
import { guardedCall, HookState, type HookStates } from "../hooks/hook-state.ts";
import { type Hook, HookFailure } from "../hooks/port.ts";
import { hookNotConfigured } from "../kit/errors.ts";
import type { RecallInput } from "./api.ts";

/** Time that a search waits for a reranker. */
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
    if (hook?.rerank === undefined) throw hookNotConfigured(name ?? "", problemOf(name, hook));
    const state = this.#states.get(hook.name) ?? new HookState(hook, world);
    const rerank = this.#reranks.get(hook.name) ?? guarded(hook.rerank, state, world);
    this.#reranks.set(hook.name, rerank);
    return { rerank, candidates: asked.candidates };
  }
}

function problemOf(name: string | undefined, hook: Hook | undefined): string {
  if (name === undefined) return "rerank.hook is empty and the server has no default reranker.";
  if (hook === undefined) return "The server has no reranker of this name.";
  return "The hook of this name is not a reranker: `rerank` is missing from `does` in its settings.";
}

function guarded(rerank: Rerank, state: HookState, world: ServiceContext["world"]): Rerank {
  const hook = { state, world, timeoutMs: ORDER_TIMEOUT_MS };
  return (call, query, texts) =>
    guardedCall(hook, call, [query, ...texts], async (timed) => {
      const scores = await rerank(timed, query, texts);
      if (scores.length !== texts.length || !scores.every(Number.isFinite)) {
        throw new HookFailure(
          "invalid-output",
          "The hook returned a different number of scores than requested, or none.",
        );
      }
      return scores;
    });
}
