// The scorings of other systems, over the newest memories that a filter leaves.

import { type Call, checkLive } from "../kit/call.ts";
import { LIMITS } from "../kit/limits.ts";
import type { MemoryFilter } from "../recall/rules/memory-filter.ts";
import {
  overlapScore,
  overlapTerms,
  queryWords,
  substringFits,
  wordCountRank,
} from "../recall/rules/memory-search.ts";
import type { MemoryMatch, SearchMemoriesInput } from "./api.ts";
import type { MemoryParts } from "./parts.ts";
import type { Memory } from "./rules/memory.ts";
import { scanMeant } from "./scan.ts";

/** Characters that are read in one turn of the event loop, each once for every word. */
const COMPARED_CHARS = 20_000_000;
/** Characters that are read in the time that looking for a word takes in any text. */
const LOOK_CHARS = 100;

/** Finds memories by one of the scorings that go over them one by one. */
export async function searchMemories(
  parts: MemoryParts,
  call: Call,
  input: SearchMemoriesInput,
): Promise<readonly MemoryMatch[]> {
  checkLive(call.signal);
  if (input.limit === 0) return [];
  const nowMs = parts.context.world.nowMs();
  switch (input.scoring) {
    case "overlap":
      return await byOverlap(parts, { call, input, nowMs });
    case "word_count":
      return await byWordCount(parts, { call, input, nowMs });
    case "substring":
      return await bySubstring(parts, { call, input, nowMs });
  }
}

interface Search {
  readonly call: Call;
  readonly input: SearchMemoriesInput;
  readonly nowMs: number;
}

type Compare = (a: MemoryMatch, b: MemoryMatch) => number;

/** Collects the first items by an order, in bounded space. */
class Best {
  readonly #limit: number;
  readonly #compare: Compare;
  #matches: MemoryMatch[] = [];

  constructor(limit: number, compare: Compare) {
    this.#limit = limit;
    this.#compare = compare;
  }

  add(match: MemoryMatch): void {
    this.#matches.push(match);
    if (this.#matches.length > 2 * this.#limit) this.#matches = [...this.list()];
  }

  list(): readonly MemoryMatch[] {
    return this.#matches.sort(this.#compare).slice(0, this.#limit);
  }
}

function oldestFirst(a: MemoryMatch, b: MemoryMatch): number {
  return a.memory.memoryNo - b.memory.memoryNo;
}

/** Upper estimate of the characters that are read to look for a word in a memory. */
function charsOf({ content: { text, structure } }: Memory): number {
  return LOOK_CHARS + (structure === undefined ? text.length : LIMITS.memoryTextBytes);
}

/** Visits memories that are searched for `words` each, with turns of the event loop in between. */
async function forEach(
  parts: MemoryParts,
  { call }: Search,
  { memories, words }: { readonly memories: readonly Memory[]; readonly words: number },
  look: (memory: Memory) => void,
): Promise<void> {
  let left = COMPARED_CHARS;
  for (const memory of memories) {
    if (left <= 0) {
      await parts.pace.turn(true);
      checkLive(call.signal);
      left = COMPARED_CHARS;
    }
    look(memory);
    // Every text is read once more, for its small letters.
    left -= (words + 1) * charsOf(memory);
  }
}

/** Passes the newest memories that match the filter to `look`, which compares so many words. */
async function lookAtNewest(
  parts: MemoryParts,
  search: Search,
  words: number,
  look: (memory: Memory) => void,
): Promise<void> {
  const { call, nowMs } = search;
  const { namespace, fromMs = -Infinity, beforeMs = Infinity } = search.input;
  const filter = validOnly(search.input, nowMs);
  const isInTime = (memory: Memory): boolean => {
    const atMs = memoryTimeMs(memory);
    return atMs >= fromMs && atMs < beforeMs;
  };
  const scan = { namespace, filter, order: "desc", nowMs, signal: call.signal } as const;
  let looked = 0;
  for await (const meant of scanMeant(parts, scan)) {
    const newest = meant.slice(0, LIMITS.searchMemoriesScan - looked);
    const memories = newest.filter(isInTime);
    await forEach(parts, search, { memories, words }, look);
    looked += newest.length;
    if (looked >= LIMITS.searchMemoriesScan) return;
  }
}

/** The filter of a search, with its validity applied. */
function validOnly(
  { filter, validity, referenceMs }: SearchMemoriesInput,
  nowMs: number,
): MemoryFilter {
  if (typeof validity === "number") return { ...filter, states: new Set(), validAtMs: validity };
  if (validity === "any") return { ...filter, states: new Set(["active", "superseded"]) };
  const states = new Set(["active"] as const);
  return validity === "active"
    ? { ...filter, states }
    : { ...filter, states, validAtMs: referenceMs ?? nowMs };
}

/** When a memory happened or became true; when unknown, when it was last said. */
function memoryTimeMs({ content, strength }: Memory): number {
  return content.validFromMs ?? strength.lastSeenMs;
}

/** The time by which memories of equal score are ordered. */
function toldMs({ kind, content, strength, updateMs, createMs }: Memory): number {
  if (kind === "entity") return strength.lastSeenMs;
  return kind === "episode" ? (content.validFromMs ?? createMs) : updateMs;
}

async function byOverlap(parts: MemoryParts, search: Search): Promise<readonly MemoryMatch[]> {
  const { query, limit, minScore = -Infinity } = search.input;
  const terms = overlapTerms(query);
  const best = new Best(
    limit,
    (a, b) => b.score - a.score || toldMs(b.memory) - toldMs(a.memory) || oldestFirst(b, a),
  );
  await lookAtNewest(parts, search, terms.size, (memory) => {
    const score = overlapScore(memory, terms);
    if (score !== undefined && score >= minScore) best.add({ memory, score });
  });
  return best.list();
}

async function byWordCount(parts: MemoryParts, search: Search): Promise<readonly MemoryMatch[]> {
  const { query, limit, minScore = -Infinity } = search.input;
  const byImportance: Compare = (a, b) =>
    b.memory.content.importance - a.memory.content.importance || oldestFirst(a, b);
  const important = new Best(LIMITS.searchMemoriesImportant, byImportance);
  await lookAtNewest(parts, search, 1, (memory) => important.add({ memory, score: 0 }));
  const words = queryWords(query);
  const memories = important.list().map(({ memory }) => memory);
  const ranked: MemoryMatch[] = [];
  await forEach(parts, search, { memories, words: words.length }, (memory) =>
    ranked.push({ memory, score: wordCountRank(memory, words) }),
  );
  return ranked
    .filter(({ score }) => score >= minScore && (score > 0 || words.length === 0))
    .sort((a, b) => b.score - a.score || byImportance(a, b))
    .slice(0, limit);
}

async function bySubstring(parts: MemoryParts, search: Search): Promise<readonly MemoryMatch[]> {
  const { query, limit, minScore = -Infinity } = search.input;
  const wanted = query.toLowerCase();
  const best = new Best(limit, (a, b) => b.score - a.score || oldestFirst(a, b));
  await lookAtNewest(parts, search, 1, (memory) => {
    const { confidence } = memory.strength;
    if (confidence >= minScore && substringFits(memory, wanted)) {
      best.add({ memory, score: confidence });
    }
  });
  return best.list();
}
