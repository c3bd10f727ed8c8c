// Summaries of summaries: which placed summaries become one of the next level.

import type { WindowInsert } from "./session.ts";

/**
 * The summaries that become one of the next level, as `fanIn` of one level of the stage stand in
 * the window: the oldest ones of the lowest such level, with the requests that are shown with them,
 * by rising position. Undefined when there are none.
 */
export function levelMerge(
  inserts: readonly WindowInsert[],
  stage: string,
  fanIn: number,
): readonly WindowInsert[] | undefined {
  const levels = new Map<number, WindowInsert[]>();
  for (const insert of summariesOf(inserts, stage)) {
    const level = levels.get(insert.level);
    if (level === undefined) levels.set(insert.level, [insert]);
    else level.push(insert);
  }
  for (const [, summaries] of [...levels].sort(([a], [b]) => a - b)) {
    if (summaries.length >= fanIn) return withRequests(inserts, summaries.slice(0, fanIn));
  }
  return undefined;
}

/**
 * The oldest summaries of a stage, to become one, when so many of them stand in the window,
 * whatever their level: else a session would come to the limit of placed summaries, and none
 * could be made.
 */
export function crowdMerge(
  inserts: readonly WindowInsert[],
  stage: string,
  { fanIn, crowd }: { readonly fanIn: number; readonly crowd: number },
): readonly WindowInsert[] | undefined {
  const summaries = summariesOf(inserts, stage);
  return summaries.length < crowd ? undefined : withRequests(inserts, summaries.slice(0, fanIn));
}

function summariesOf(inserts: readonly WindowInsert[], stage: string): readonly WindowInsert[] {
  return inserts.filter((insert) => insert.kind === "summary" && insert.stage === stage);
}

function withRequests(
  inserts: readonly WindowInsert[],
  chosen: readonly WindowInsert[],
): readonly WindowInsert[] {
  const versions = new Set(chosen.map(({ version }) => version));
  const ids = new Set(chosen.map(({ messageId }) => messageId));
  return inserts.filter(
    ({ kind, version, messageId }) =>
      ids.has(messageId) || (kind === "request" && versions.has(version)),
  );
}
