// Hooks of the kind `poll` that make no summaries: each call becomes a direct task, which a worker
// takes.

import type { AskWork, DirectInput, DirectWork, Hook, Hooks } from "../../hooks/port.ts";
import { embedderOf } from "../../hooks/works.ts";
import { LIMITS } from "../../kit/limits.ts";
import type { DirectTasks } from "./direct-tasks.ts";

/** The hooks, where those of the kind `poll` pass their work to workers. */
export function withWorkers(hooks: Hooks, direct: DirectTasks): Hooks {
  const all = [...hooks.byName].map(([name, hook]) => [name, withWork(hook, direct)] as const);
  return { ...hooks, byName: new Map(all), close: () => hooks.close() };
}

function withWork(hook: Hook, direct: DirectTasks): Hook {
  const { polled } = hook;
  if (polled === undefined) return hook;
  if (polled.does !== "embed") {
    return { ...hook, [polled.does]: askerOf(polled.does, hook, direct) };
  }
  const { does, ...model } = polled;
  const ask = askerOf(does, hook, direct);
  const askInPieces: AskWork<"embed"> = async (call, input) => {
    const vectors: Float32Array[] = [];
    for (const texts of piecesOf(input.texts)) {
      vectors.push(...(await ask(call, { ...input, texts })));
    }
    return vectors;
  };
  const { attendance } = direct;
  const workers = {
    areAway: (namespace: string) => attendance.isAway(hook.name, namespace),
    onBack: (listener: (namespace: string) => void) => attendance.onBack(hook.name, listener),
  };
  return { ...hook, embedder: { ...embedderOf(askInPieces, model), workers } };
}

/** Submits work to workers; the exchange returns the checked answer. */
function askerOf<W extends DirectWork>(kind: W, hook: Hook, direct: DirectTasks): AskWork<W> {
  return (call, input) =>
    direct.ask(hook, call, { kind, ...input } as DirectInput) as ReturnType<AskWork<W>>;
}

/** Splits the texts into runs that fit in one task. */
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
