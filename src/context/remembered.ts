// The memories of a context that need no search: the most important ones, the last seen ones, the
// newest ones, and those that the query names.

import { checkLive } from "../kit/call.ts";
import { LIMITS } from "../kit/limits.ts";
import {
  holdsWord,
  isMemoryExpired,
  type Memory,
  type MemoryScope,
  type MemoryTier,
  rankOf,
  recentFromMs,
  retentionCutMs,
  tierOf,
} from "../memory/rules/memory.ts";
import { visibleScopes } from "../memory/rules/scopes.ts";
import { nameKeyOf } from "../memory/rules/text-key.ts";
import { STOP_WORDS } from "../recall/text/word.ts";
import type { Asking } from "./parts.ts";
import type { Candidate } from "./rules/types.ts";

/** Those that do not count now are read as well: so many more are looked at, then more and more. */
const SPARE = 20;
const MORE = 8;
/** The most of one scope that are looked at. */
const RANKED_READ = 2_000;
const EPISODE_DAYS = 3;
const EPISODES_READ = 200;
const LOG_DAYS = 2;
const LOG_PAGE = 500;
const LOG_PAGES = 4;
const QUERY_WORDS = 128;
const NAME_WORDS = 4;
const NAMES = 512;
const RELATION_NAMES = 64;
const RELATIONS_READ = 200;
const KEYWORDS = 15;
const KEYWORD_CHARS = 2;

/** A memory as a candidate. */
export function candidateOf(memory: Memory, relevance = 0): Candidate {
  const { memoryId, trust } = memory;
  return {
    ref: { kind: "memory", memoryId },
    said: { kind: "memory", memory },
    relevance,
    trust,
  };
}

/**
 * Whether a memory counts: its time has not run out, and it is true at the time of the context. One
 * that is superseded was true only where the call names a time.
 */
export function counts(memory: Memory, { input, nowMs, referenceMs }: Asking): boolean {
  const mayCount = memory.state === "active" || input.referenceMs !== undefined;
  if (!mayCount || isMemoryExpired(memory, nowMs)) return false;
  const { validFromMs = -Infinity, validToMs = Infinity } = memory.content;
  // The clock of who records episodes may be ahead of this one.
  const isEarly = validFromMs > referenceMs;
  if (isEarly && (memory.kind !== "episode" || input.referenceMs !== undefined)) return false;
  return referenceMs < validToMs;
}

/** The highest of a tier in all scopes that are seen. */
export async function ranked(
  asking: Asking,
  tier: MemoryTier,
  limit: number,
): Promise<readonly Memory[]> {
  const found = await Promise.all(
    visibleScopes(asking.viewer).map((scope) => rankedIn(asking, { scope, tier }, limit)),
  );
  const all = found.flat();
  all.sort((a, b) => rankOf(b) - rankOf(a) || a.memoryNo - b.memoryNo);
  return all.slice(0, limit);
}

/**
 * The most important long-term memories; of a time that the call names, also those that others took
 * the place of since.
 */
export async function important(asking: Asking, limit: number): Promise<readonly Memory[]> {
  const active = await ranked(asking, "long-term", limit);
  if (asking.input.referenceMs === undefined) return active;
  const past = await ranked(asking, "past", LIMITS.contextItems);
  const then = past.filter((memory) => tierOf({ ...memory, state: "active" }) === "long-term");
  const all = [...active, ...then];
  all.sort((a, b) => b.content.importance - a.content.importance || a.memoryNo - b.memoryNo);
  return all.slice(0, limit);
}

/** The highest of a tier of one scope; more when they were read. */
async function rankedIn(
  asking: Asking,
  { scope, tier }: { readonly scope: MemoryScope; readonly tier: MemoryTier },
  limit: number,
): Promise<readonly Memory[]> {
  const { store } = asking.parts.context;
  const { namespace } = asking.input;
  for (let read = limit + SPARE; ; read = Math.min(RANKED_READ, read * MORE)) {
    const query = { namespace, scope, tier, order: "desc", limit: read } as const;
    const found = await store.rankedMemories(query);
    const counted = found.filter((memory) => counts(memory, asking));
    const isAll = found.length < read || read >= RANKED_READ;
    if (isAll || counted.length >= limit) return counted;
    checkLive(asking.call.signal);
  }
}

/** Entities: those that the query names, then the last seen. */
export async function entitiesFor(
  asking: Asking,
  limit: number,
): Promise<{ readonly candidates: readonly Candidate[]; readonly named: readonly Memory[] }> {
  const names = namesIn(asking.query);
  const { store } = asking.parts.context;
  const scopes = visibleScopes(asking.viewer);
  const [known, last] = await Promise.all([
    names.length === 0 ? [] : store.readEntities(asking.input.namespace, scopes, names),
    ranked(asking, "entities", limit),
  ]);
  const named = each(known.filter((memory) => counts(memory, asking)));
  const ids = new Set(named.map(({ memoryId }) => memoryId));
  const others = last.filter(({ memoryId }) => !ids.has(memoryId));
  const candidates = asking.input.profile.searches
    ? [
        ...named.map((memory) => candidateOf(memory, 1)),
        ...others.map((memory) => candidateOf(memory)),
      ]
    : last.map((memory) => candidateOf(memory));
  return { candidates, named };
}

/** Runs of words of a query that may be names, as name keys. */
function namesIn(query: string): readonly string[] {
  const words = (query.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}'’.&-]*/gu) ?? []).slice(0, QUERY_WORDS);
  const keys = new Set<string>();
  for (let length = 1; length <= NAME_WORDS; length++) {
    for (let at = 0; at + length <= words.length; at++) {
      const run = words.slice(at, at + length).join(" ");
      // The end of a sentence, and what makes a name a possessive, are no part of it.
      for (const name of [run, run.replace(/(?:['’]s|[.'’-])$/u, "")]) {
        if (keys.size < NAMES && !STOP_WORDS.has(name.toLowerCase())) keys.add(nameKeyOf(name));
      }
    }
  }
  return [...keys];
}

function each(memories: readonly Memory[]): readonly Memory[] {
  return [...new Map(memories.map((memory) => [memory.memoryId, memory])).values()];
}

/** Relations: those of names and words of the query, then the newest. */
export async function relationsFor(
  asking: Asking,
  named: readonly Memory[],
  limit: number,
): Promise<readonly Candidate[]> {
  const { searches } = asking.input.profile;
  const read = Math.max(RELATIONS_READ, limit);
  const [near, newest] = await Promise.all([
    searches ? relationsOf(asking, named) : [],
    ranked(asking, "relations", read),
  ]);
  const words = keywordsOf(asking.query, searches);
  const fitting = newest.filter((memory) => holdsWord(memory, words));
  // Without a search, those that were known first stand before later ones.
  const order = searches ? -1 : 1;
  const first = each([...near, ...fitting].toSorted((a, b) => order * (a.memoryNo - b.memoryNo)));
  const ids = new Set(first.map(({ memoryId }) => memoryId));
  // Without a search, the newest ones stand only where nothing is asked.
  const isOver = !searches && asking.query.trim() !== "";
  const rest = isOver ? [] : newest.filter(({ memoryId }) => !ids.has(memoryId)).slice(0, limit);
  return [
    ...first.map((memory) => candidateOf(memory, 1)),
    ...rest.map((memory) => candidateOf(memory)),
  ];
}

/** Relations that touch what the query names. */
async function relationsOf(asking: Asking, named: readonly Memory[]): Promise<readonly Memory[]> {
  const aliases = named.flatMap(({ content: { structure } }) =>
    structure?.kind === "entity" ? [structure.entity.name, ...structure.entity.aliases] : [],
  );
  const keys = [...new Set([...aliases.map(nameKeyOf), ...namesIn(asking.query)])];
  const names = keys.slice(0, RELATION_NAMES);
  if (names.length === 0) return [];
  const { store } = asking.parts.context;
  const { namespace } = asking.input;
  const found = await Promise.all(
    visibleScopes(asking.viewer).flatMap((scope) =>
      (["subject", "object"] as const).map((place) =>
        store.queryRelations({ namespace, scope, names, place, limit: RELATIONS_READ }),
      ),
    ),
  );
  return found.flat().filter((memory) => counts(memory, asking));
}

function keywordsOf(query: string, searches: boolean): readonly string[] {
  const words = query.toLowerCase().split(/\s+/u);
  const long = words.filter((word) => [...word].length > KEYWORD_CHARS);
  if (!searches) return long.slice(0, KEYWORDS);
  const bare = long.map((word) => word.replace(/[^\p{L}\p{N}]+$/u, ""));
  return bare.filter((word) => word !== "" && !STOP_WORDS.has(word)).slice(0, KEYWORDS);
}

/** Episodes of the last days, the newest first. */
export async function episodesFor(asking: Asking, limit: number): Promise<readonly Candidate[]> {
  const fromMs = recentFromMs(asking.referenceMs, EPISODE_DAYS);
  const found = await ranked(asking, "episodes", Math.max(EPISODES_READ, limit));
  const recent = found.filter((memory) => rankOf(memory) >= fromMs);
  return recent.slice(0, limit).map((memory) => candidateOf(memory));
}

/**
 * Memories made or mentioned again today and yesterday, the newest first: of the newest memories
 * of each scope.
 */
export async function logFor(asking: Asking): Promise<readonly Candidate[]> {
  const fromMs = retentionCutMs(asking.referenceMs, LOG_DAYS - 1);
  const found = await Promise.all(
    visibleScopes(asking.viewer).map((scope) => logOf(asking, scope, fromMs)),
  );
  const all = found.flat().toSorted((a, b) => lastSeen(b) - lastSeen(a) || b.memoryNo - a.memoryNo);
  return all.map((memory) => candidateOf(memory));
}

function lastSeen({ strength }: Memory): number {
  return strength.lastSeenMs;
}

async function logOf(
  asking: Asking,
  scope: Asking["viewer"],
  fromMs: number,
): Promise<readonly Memory[]> {
  const { store } = asking.parts.context;
  const kept: Memory[] = [];
  let after: number | undefined;
  for (let page = 0; page < LOG_PAGES; page++) {
    const { memories, next } = await store.listMemories({
      namespace: asking.input.namespace,
      order: "desc",
      limit: LOG_PAGE,
      within: { kind: "scope", scope },
      ...(after === undefined ? {} : { after }),
    });
    for (const memory of memories) {
      const isOfDays = lastSeen(memory) >= fromMs && lastSeen(memory) <= asking.referenceMs;
      if (isOfDays && tierOf(memory) === "long-term" && counts(memory, asking)) kept.push(memory);
    }
    if (next === undefined) break;
    after = next;
  }
  return kept;
}
