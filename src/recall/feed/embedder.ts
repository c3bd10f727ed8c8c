// Vectors of texts, from whatever makes them for this server: the table in the index, or a hook.

import type { ServiceContext } from "../../core/context.ts";
import { type GuardedHook, guardedCall, guardOf, type HookStates } from "../../hooks/hook-state.ts";
import {
  type EmbedderHook,
  type EmbedderModel,
  type Hook,
  HookFailure,
  type Hooks,
} from "../../hooks/port.ts";
import type { AppError, TaskFailureReason } from "../../kit/errors.ts";
import type { IndexModel, RecallIndex } from "../index/port.ts";
import { embedderFailed, embedderOff, embedderUnavailable } from "../rules/errors.ts";
import { isIndexStopped } from "./feed-errors.ts";

/** Time that a search waits for the vector of its query. */
const QUERY_TIMEOUT_MS = 2_000;
/** Words of a query that count for its vector. */
const QUERY_WORDS = 512;

/** The failures that last until the settings of the hook, or the text, change. */
const LASTING: ReadonlySet<TaskFailureReason> = new Set(["refused", "invalid-output"]);

type Purpose = "query" | "passage";

/** A call for texts of one namespace. */
export interface EmbedCall {
  readonly namespace: string;
  readonly signal: AbortSignal;
}

/** The hook that makes the vectors of a server; undefined when none does. */
export function embedderHook(hooks: Hooks): (Hook & { embedder: EmbedderHook }) | undefined {
  const { embedder: choice } = hooks;
  if (choice?.kind !== "hook") return undefined;
  const hook = hooks.byName.get(choice.hook);
  return hook?.embedder === undefined ? undefined : { ...hook, embedder: hook.embedder };
}

/** The model of the hook that makes the vectors of a server, by itself or through workers. */
export function embedderModel(hooks: Hooks): EmbedderModel | undefined {
  const { embedder: choice } = hooks;
  const hook = choice?.kind === "hook" ? hooks.byName.get(choice.hook) : undefined;
  return hook?.polled?.does === "embed" ? hook.polled : hook?.embedder;
}

/** Makes vectors. */
export class Embedder {
  readonly model: IndexModel;
  readonly #index: RecallIndex;
  readonly #guard: GuardedHook | undefined;
  readonly #hook: EmbedderHook | undefined;
  readonly #name: string;

  constructor(context: ServiceContext, index: RecallIndex, states: HookStates) {
    this.#index = index;
    this.model = index.model;
    const hook = embedderHook(context.hooks);
    this.#hook = hook?.embedder;
    this.#name = hook?.name ?? "";
    this.#guard = hook && guardOf({ context, states }, hook);
  }

  /** The server has no embedder at all. */
  get isOff(): boolean {
    return this.model.id === "";
  }

  /** Workers make the vectors, those of each namespace its own. */
  get hasWorkers(): boolean {
    return this.#hook?.workers !== undefined;
  }

  /** Whether workers make the vectors, and there are none for a namespace. */
  isAway(namespace: string): boolean {
    return this.#hook?.workers?.areAway(namespace) ?? false;
  }

  /** Calls back when workers that were away are back. */
  onBack(listener: () => void): void {
    this.#hook?.workers?.onBack(listener);
  }

  /** Texts in one call at most. */
  get batchSize(): number {
    return this.#hook?.batchSize ?? Number.MAX_SAFE_INTEGER;
  }

  /**
   * The vector of a query when it is not made in the index itself; undefined when it is. Throws
   * EMBEDDER_UNAVAILABLE or HOOK_FAILED when the hook fails or takes more than two seconds.
   */
  async queryVector(call: EmbedCall, query: string): Promise<Float32Array | undefined> {
    if (this.model.isLocal) return undefined;
    try {
      const texts = [firstWords(query)];
      const [vector] = await this.#ask(call, texts, "query", QUERY_TIMEOUT_MS);
      return vector;
    } catch (error) {
      throw this.#failed(error);
    }
  }

  /** Vectors of texts. Throws EMBEDDER_OFF, EMBEDDER_UNAVAILABLE or HOOK_FAILED. */
  async embed(
    call: EmbedCall,
    texts: readonly string[],
    purpose: Purpose,
  ): Promise<readonly Float32Array[]> {
    if (this.isOff) throw embedderOff();
    try {
      if (this.model.isLocal) return await this.#index.embed(texts);
      return await this.inBatches(texts, (batch) => this.#ask(call, batch, purpose));
    } catch (error) {
      if (error instanceof HookFailure || isIndexStopped(error)) throw this.#failed(error);
      throw error;
    }
  }

  /** Vectors of texts, made in batches: blank ones are not asked for, and have vectors of zeros. */
  async inBatches(
    texts: readonly string[],
    ask: (batch: readonly string[]) => Promise<readonly Float32Array[]>,
  ): Promise<readonly Float32Array[]> {
    const zero = new Float32Array(this.model.dimensions);
    const vectors = new Array<Float32Array>(texts.length).fill(zero);
    const places = texts.flatMap((text, at) => (text.trim() === "" ? [] : [at]));
    for (let from = 0; from < places.length; from += this.batchSize) {
      const batch = places.slice(from, from + this.batchSize);
      const made = await ask(batch.map((place) => texts[place] ?? ""));
      for (const [at, place] of batch.entries()) vectors[place] = made[at] ?? zero;
    }
    return vectors;
  }

  /** Vectors of at most `batchSize` passages by the hook. Throws HookFailure. */
  async embedPassages(call: EmbedCall, texts: readonly string[]): Promise<readonly Float32Array[]> {
    return await this.#ask(call, texts, "passage");
  }

  async #ask(
    call: EmbedCall,
    texts: readonly string[],
    purpose: Purpose,
    timeoutMs?: number,
  ): Promise<readonly Float32Array[]> {
    const hook = this.#hook;
    const guard = this.#guard;
    if (hook === undefined || guard === undefined) {
      throw new HookFailure("no-hook", "The server has no hook that makes vectors.");
    }
    // Workers may take as long over passages as their leases allow.
    const ownMs = this.hasWorkers ? undefined : guard.timeoutMs;
    const guarded = { ...guard, timeoutMs: timeoutMs ?? ownMs };
    return await guardedCall(guarded, call, texts, async (timed) => {
      const vectors = await hook.embed(timed, texts, purpose);
      checkVectors(vectors, texts.length, hook.dimensions);
      return vectors;
    });
  }

  /** Reports only the name of the reason: the message of a hook may be content. */
  #failed(error: unknown): AppError {
    return error instanceof HookFailure && LASTING.has(error.reason)
      ? embedderFailed(this.#name, error.reason, error)
      : embedderUnavailable(error);
  }
}

/** Embed: makes the vectors of texts for a caller. Throws as `Embedder.embed` does. */
export async function embed(
  { embedder }: { readonly embedder: Embedder },
  { signal }: Pick<EmbedCall, "signal">,
  input: {
    readonly namespace: string;
    readonly texts: readonly string[];
    readonly purpose: Purpose;
  },
): Promise<{ readonly model: string; readonly vectors: readonly Float32Array[] }> {
  const { namespace, texts, purpose } = input;
  const vectors = await embedder.embed({ namespace, signal }, texts, purpose);
  return { model: embedder.model.id, vectors };
}

function checkVectors(vectors: readonly Float32Array[], count: number, dimensions: number): void {
  if (vectors.length === count && vectors.every(({ length }) => length === dimensions)) return;
  throw new HookFailure(
    "hook-error",
    "The embedder returned vectors of a different number or length than requested.",
  );
}

/** The first words of a long query, which say most of what is asked. */
function firstWords(text: string): string {
  let words = 0;
  for (const { index } of text.matchAll(/\S+/gu)) {
    words += 1;
    if (words > QUERY_WORDS) return text.slice(0, index);
  }
  return text;
}
