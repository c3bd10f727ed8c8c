// The history of what contradicts one another: each memory ends where the next one begins, and is
// superseded by it, in whatever order they came. A memory is superseded by none of lower trust.

import { endOf, nextState, supersede } from "./change.ts";
import { idsAbove } from "./contradict.ts";
import type { Decision, Placed } from "./decision.ts";
import type { Memory } from "./memory.ts";
import type { Stamp } from "./rules.ts";

/** What a memory contradicts. */
export interface Dated {
  readonly active: readonly Memory[];
  /** Superseded already. Only asked for what comes late. */
  readonly past: () => readonly Memory[];
}

/** When a memory begins: what has no beginning comes before all that has one. */
function beginOf({ content }: Memory): number {
  return content.validFromMs ?? -Infinity;
}

/** The first to begin after a moment; of equal ones the oldest. */
function nextAfter(memories: readonly Memory[], ms: number): Memory | undefined {
  let next: Memory | undefined;
  for (const memory of memories) {
    const begin = beginOf(memory);
    if (begin > ms && (next === undefined || begin < beginOf(next))) next = memory;
  }
  return next;
}

/** A memory as history: superseded by the next one, where it ends at the latest. */
function asHistory(memory: Memory, next: Memory): Memory {
  const { validToMs = Infinity } = memory.content;
  const content = { ...memory.content, validToMs: Math.min(validToMs, beginOf(next)) };
  return {
    ...{ ...memory, content, contradictsIds: [] },
    ...{ state: "superseded", supersededBy: next.memoryId },
  };
}

/**
 * A superseded memory that another one now follows. It ended where the next one began: now it ends
 * where this one begins. An end that somebody gave stays.
 */
function followedBy(past: Memory, memory: Memory, next: Memory, stamp: Stamp): Memory {
  const { content } = past;
  const isOwnEnd = content.validToMs !== undefined && content.validToMs !== beginOf(next);
  const validToMs = isOwnEnd ? content.validToMs : endOf(content, beginOf(memory));
  const changes = { content: { ...content, validToMs }, supersededBy: memory.memoryId };
  return nextState(past, changes, stamp);
}

/**
 * Puts a memory at its place in the history of what it contradicts. One whose beginning nobody gave
 * is the newest.
 */
export function placeInTime(
  { overlay, stamp }: Decision,
  memory: Memory,
  { active, past }: Dated,
  outcome: "created" | "updated",
): Placed {
  const { trust } = memory;
  const beginMs = memory.content.validFromMs ?? Infinity;
  const mayFollow = active.filter((rival) => rival.trust >= trust);
  const isHistory = mayFollow.some((rival) => beginOf(rival) > beginMs);
  const before = isHistory ? past() : [];
  const followers = [...before.filter((rival) => rival.trust >= trust), ...mayFollow];
  const next = isHistory ? nextAfter(followers, beginMs) : undefined;
  // What is yet to begin takes no place now: it only says when what holds until then ends.
  const isAhead = (begin: number): boolean => begin > stamp.nowMs && begin !== Infinity;
  const isPast = next !== undefined && !isAhead(beginOf(next));
  const history = next === undefined ? memory : asHistory(memory, next);
  const begun = active.filter((rival) => beginOf(rival) <= beginMs);
  const contradictsIds = idsAbove(memory, begun);
  const put = overlay.put(
    isPast ? history : { ...memory, contradictsIds, content: history.content },
  );
  const earlier = begun.filter((rival) => rival.trust <= trust);
  for (const rival of isAhead(beginMs) ? earlier : []) {
    const validToMs = rival.content.validToMs ?? endOf(rival.content, beginMs);
    if (validToMs === rival.content.validToMs) continue;
    overlay.put(nextState(rival, { content: { ...rival.content, validToMs } }, stamp));
  }
  const superseded = isAhead(beginMs) ? [] : earlier;
  // An end that only what is yet to begin gave makes way for the one that comes before it.
  const ahead = new Set(active.map(beginOf).filter(isAhead));
  for (const rival of superseded) {
    const atMs = memory.content.validFromMs ?? stamp.nowMs;
    const { validToMs } = rival.content;
    const isLent = validToMs !== undefined && ahead.has(validToMs) && validToMs > atMs;
    const old = isLent ? { ...rival, content: { ...rival.content, validToMs: undefined } } : rival;
    overlay.put(supersede(old, put.memoryId, atMs, stamp));
  }
  const followed: Memory[] = [];
  if (next !== undefined && isPast) {
    const below = before.filter((one) => one.trust <= trust);
    followed.push(...below.filter((one) => isFollowed(one, next, beginMs)));
    for (const one of followed) overlay.put(followedBy(one, put, next, stamp));
  }
  return {
    memory: put,
    outcome: isPast ? "superseded" : outcome,
    supersededIds: [...superseded, ...followed].map(({ memoryId }) => memoryId),
  };
}

/** Whether the next one followed it, and something that begins at `beginMs` comes between. */
function isFollowed(past: Memory, next: Memory, beginMs: number): boolean {
  return past.supersededBy === next.memoryId && beginOf(past) <= beginMs;
}
