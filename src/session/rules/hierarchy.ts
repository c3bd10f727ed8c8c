// Summaries of summaries: which placed summaries become one of the next level.

import type { WindowInsert } from "./session.ts";

/** Placed summaries that become one. */
export interface Merge {
  /** By rising position, with the requests that are shown with them. */
  readonly inserts: readonly WindowInsert[];
  /** The level of what they become. */
  readonly level: number;
}

/**
 * The merge that a stage is due: `fanIn` summaries of one level of it stand in the window. Takes
 * the oldest ones of the lowest such level. Undefined when there is none.
 */
export function levelMerge(
  inserts: readonly WindowInsert[],
  stage: string,
  fanIn: number,
): Merge | undefined {
  const levels = new Map<number, WindowInsert[]>();
  for (const insert of summariesOf(inserts, stage)) {
    const level = levels.get(insert.level);
    if (level === undefined) levels.set(insert.level, [insert]);
    else level.push(insert);
  }
  for (const [, summaries] of [...levels].sort(([a], [b]) => a - b)) {
    if (summaries.length >= fanIn) return mergeOf(inserts, summaries.slice(0, fanIn));
  }
  return undefined;
}

/**
 * The merge of the oldest summaries of a stage when so many of them stand in the window, whatever
 * their level: else a session would come to the limit of placed summaries, and none could be made.
 */
export function crowdMerge(
  inserts: readonly WindowInsert[],
  stage: string,
  { fanIn, crowd }: { readonly fanIn: number; readonly crowd: number },
): Merge | undefined {
  const summaries = summariesOf(inserts, stage);
  return summaries.length < crowd ? undefined : mergeOf(inserts, summaries.slice(0, fanIn));
}

function summariesOf(inserts: readonly WindowInsert[], stage: string): readonly WindowInsert[] {
  return inserts.filter((insert) => insert.kind === "summary" && insert.stage === stage);
}

function mergeOf(inserts: readonly WindowInsert[], chosen: readonly WindowInsert[]): Merge {
  const versions = new Set(chosen.map(({ version }) => version));
  const ids = new Set(chosen.map(({ messageId }) => messageId));
  return {
    inserts: inserts.filter(
      ({ kind, version, messageId }) =>
        ids.has(messageId) || (kind === "request" && versions.has(version)),
    ),
    level: 1 + Math.max(...chosen.map(({ level }) => level)),
  };
}
