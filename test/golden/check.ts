// Compares what the server answers now with what is recorded.

import { isDeepStrictEqual } from "node:util";
import type { GoldenScene } from "./corpus.ts";
import { difference } from "./explain.ts";
import { type Replayed, replay } from "./replay.ts";

/** Outcome of a scene. */
export interface Checked {
  readonly compared: number;
  /** One text for each call that was answered differently, and for each table that differs. */
  readonly differences: readonly string[];
}

/** Background work that comes earlier or later than when it was recorded must not count. */
const TRIES = 3;

/** Replays a scene and compares what is recorded: only what differs each time is a difference. */
export async function checkScene(scene: GoldenScene): Promise<Checked> {
  let found = differencesOf(scene, await replay(scene));
  for (let tries = 1; tries < TRIES && found.size > 0; tries++) {
    const again = differencesOf(scene, await replay(scene));
    found = new Map([...found].filter(([place]) => again.has(place)));
  }
  const compared = scene.answers.filter((answer) => answer !== null).length;
  return {
    compared: compared + Object.keys(scene.stored).length,
    differences: [...found].map(([place, text]) => `${scene.name}, ${place}${text}`),
  };
}

/** Differences between a replay and the corpus: where, and how. */
function differencesOf(scene: GoldenScene, { answers, stored }: Replayed): Map<string, string> {
  const found = new Map<string, string>();
  for (const [index, step] of scene.steps.entries()) {
    const was = scene.answers[index];
    const is = answers[index];
    if (was === undefined || was === null || isDeepStrictEqual(is, was)) continue;
    found.set(`call ${index}: `, difference(step, was, is).join("\n"));
  }
  for (const [table, was] of Object.entries(scene.stored)) {
    const is = stored[table] ?? "nothing";
    if (is !== was) found.set(`stored in ${table}:`, `\n  - ${was}\n  + ${is}`);
  }
  return found;
}
