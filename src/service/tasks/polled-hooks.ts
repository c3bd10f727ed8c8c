// Hooks of the kind `poll` that do something else than summaries: each call becomes a task of the
// exchange, which a worker takes.

import { LIMITS } from "../../domain/limits.ts";
import {
  type EmbedderHook,
  type EmbedderModel,
  type Hook,
  HookFailure,
  type Hooks,
} from "../hook-port.ts";
import type { DirectTasks } from "./direct-tasks.ts";

/** Gives the hooks with what workers do for those of the kind `poll`. */
export function withWorkers(hooks: Hooks, direct: DirectTasks): Hooks {
  const all = [...hooks.byName].map(([name, hook]) => [name, withWork(hook, direct)] as const);
  return { ...hooks, byName: new Map(all), close: () => hooks.close() };
}

function withWork(hook: Hook, direct: DirectTasks): Hook {
  const { polled } = hook;
  if (polled === undefined) return hook;
  switch (polled.does) {
    case "embed":
      return { ...hook, embedder: embedderOf(hook, polled, direct) };
    case "rerank":
      return {
        ...hook,
        rerank: async (call, query, texts) => {
          const result = await direct.ask(hook, call, { kind: "rerank", query, texts });
          return result.kind === "rerank" ? result.scores : mixedUp();
        },
      };
    case "extract":
      return {
        ...hook,
        extract: async ({ namespace, signal }, input) => {
          const result = await direct.ask(hook, { namespace, signal }, { kind: "extract", input });
          return result.kind === "extract" ? result.extracted : mixedUp();
        },
      };
    case "score":
      return {
        ...hook,
        score: async (call, texts) => {
          const result = await direct.ask(hook, call, { kind: "score", texts });
          return result.kind === "score" ? result.scores : mixedUp();
        },
      };
    case "resolve":
      return {
        ...hook,
        resolve: async (call, input) => {
          const result = await direct.ask(hook, call, { kind: "resolve", input });
          return result.kind === "resolve" ? result.resolution : mixedUp();
        },
      };
  }
}

function embedderOf(hook: Hook, known: EmbedderModel, direct: DirectTasks): EmbedderHook {
  const { model, dimensions, batchSize } = known;
  const { attendance } = direct;
  return {
    ...{ model, dimensions, batchSize },
    embed: async (call, texts, purpose) => {
      const vectors: Float32Array[] = [];
      for (const some of piecesOf(texts)) {
        const input = { kind: "embed", texts: some, purpose, dimensions } as const;
        const result = await direct.ask(hook, call, input);
        vectors.push(...(result.kind === "embed" ? result.vectors : mixedUp()));
      }
      return vectors;
    },
    workers: {
      areAway: (namespace) => attendance.isAway(hook.name, namespace),
      onBack: (listener) => attendance.onBack(hook.name, listener),
    },
  };
}

/** The texts in runs that fit one task. */
function piecesOf(texts: readonly string[]): readonly (readonly string[])[] {
  const pieces: string[][] = [];
  let left = 0;
  for (const text of texts) {
    const bytes = Buffer.byteLength(text);
    if (pieces.length === 0 || bytes > left) {
      pieces.push([]);
      left = LIMITS.embedBytes;
    }
    pieces.at(-1)?.push(text);
    left -= bytes;
  }
  return pieces;
}

function mixedUp(): never {
  throw new HookFailure("hook-error", "The result is of another task.");
}
