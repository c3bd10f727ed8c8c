// Turns the drafts of a caller into new memories: unset fields get their defaults.

import { DoFirst, replayOf } from "../core/change.ts";
import { type Call, checkLive } from "../kit/call.ts";
import { type FieldViolation, requestInvalid } from "../kit/errors.ts";
import type { Etags } from "../kit/etag.ts";
import { makeMemoryId } from "../kit/ids.ts";
import { LIMITS } from "../kit/limits.ts";
import type { Pace } from "../kit/semaphore.ts";
import { later } from "../kit/world.ts";
import type { Owner } from "../session/rules/session.ts";
import type { MemoryReads, MemoryView } from "../store/store.ts";
import type { MemoryDraft, RememberInput, RememberResult } from "./api.ts";
import {
  changeMemories,
  eraseExpiredMemories,
  type MemoryWork,
  memoryWork,
  rememberDetails,
} from "./change-memories.ts";
import { type MemoryParts, type Resolver, resolverOf } from "./parts.ts";
import type { Resolution, ResolveInput } from "./rules/extracted.ts";
import {
  isMemoryExpired,
  MEMORY_DEFAULTS,
  MEMORY_TIERS,
  type Memory,
  mapTexts,
  type StructurePath,
} from "./rules/memory.ts";
import { neutralizePromptMarkers } from "./rules/prompt-markers.ts";
import { contradictedBy, planRemember } from "./rules/remember.ts";
import type {
  NewMemory,
  Remembered,
  RememberPlan,
  RememberRules,
  Resolved,
  Stamp,
} from "./rules/rules.ts";

/** Drafts that are neutralized in one turn of the event loop. */
const AT_ONCE = 8;

/** Makes new memories, a few in each turn. Throws REQUEST_INVALID. */
async function newMemories(
  drafts: readonly MemoryDraft[],
  {
    nowMs,
    isNeutralized,
    etags,
  }: { readonly nowMs: number; readonly isNeutralized: boolean; readonly etags: Etags },
  pace: Pick<Pace, "turn">,
): Promise<readonly NewMemory[]> {
  const violations: FieldViolation[] = [];
  const news: NewMemory[] = [];
  for (const [index, draft] of drafts.entries()) {
    const field = `memories[${index}]`;
    violations.push(...timeFaults(draft, nowMs, field));
    const made = newMemory(isNeutralized ? neutral(draft) : draft, etags);
    if (isNeutralized) violations.push(...sizeFaults(made, field));
    news.push(made);
    if (isNeutralized && index % AT_ONCE === AT_ONCE - 1) await pace.turn(true);
  }
  if (violations.length > 0) throw requestInvalid(violations);
  return news;
}

function newMemory(draft: MemoryDraft, etags: Etags): NewMemory {
  const { memoryId, kind, scope, trust, persistent, ttlMs, source, lastSeenMs, etag } = draft;
  const { text, structure, key, topics, labels, metadata, validFromMs, validToMs } = draft;
  const { category, importance, confidence } = MEMORY_DEFAULTS;
  return {
    ...{ memoryId, kind, scope, trust, persistent, ttlMs, lastSeenMs },
    content: {
      ...{ text, structure, key, topics, labels, metadata, validFromMs, validToMs },
      category: draft.category === "" ? category : draft.category,
      importance: draft.importance ?? importance,
    },
    confidence: draft.confidence ?? confidence,
    source: { origin: "caller", ...source, hook: "", model: "" },
    // An invalid etag matches no memory.
    ...(etag === "" ? {} : { expectedRevision: etags.revisionOf(etag) ?? -1 }),
  };
}

/** Faults of times in the future. */
export function timeFaults(
  { lastSeenMs }: Pick<MemoryDraft, "lastSeenMs">,
  nowMs: number,
  field: string,
): readonly FieldViolation[] {
  if (lastSeenMs === undefined || lastSeenMs <= nowMs) return [];
  return [{ field: `${field}.last_seen_time`, description: "must not be in the future" }];
}

function neutral(draft: MemoryDraft): MemoryDraft {
  const { text, category, topics, structure } = draft;
  return {
    ...draft,
    text: neutralizePromptMarkers(text),
    category: neutralizePromptMarkers(category),
    topics: topics.map(neutralizePromptMarkers),
    structure: structure && mapTexts(structure, (own) => neutralizePromptMarkers(own)),
  };
}

const STRUCTURE_LIMITS: { readonly [path in StructurePath]: number } = {
  "entity.name": LIMITS.entityNameBytes,
  "entity.type": LIMITS.entityTypeBytes,
  "entity.aliases": LIMITS.entityNameBytes,
  "entity.attributes": LIMITS.entityAttributeValueBytes,
  "relation.subject": LIMITS.relationSubjectBytes,
  "relation.predicate": LIMITS.relationPredicateBytes,
  "relation.object": LIMITS.relationObjectBytes,
  "episode.user_text": LIMITS.episodeTextBytes,
  "episode.assistant_text": LIMITS.episodeTextBytes,
};

/** Faults of texts that exceed their limits after neutralization. */
function sizeFaults({ kind, content }: NewMemory, field: string): readonly FieldViolation[] {
  const { text, category, topics, structure } = content;
  const faults: FieldViolation[] = [];
  const check = (path: string, own: string, limit: number): string => {
    const bytes = Buffer.byteLength(own);
    const description = `takes ${bytes} bytes without its markers, and may take at most ${limit}`;
    if (bytes > limit) faults.push({ field: `${field}.${path}`, description });
    return own;
  };
  // An entity without a structure has its text as name.
  const isName = kind === "entity" && structure === undefined;
  check("text", text, isName ? LIMITS.entityNameBytes : LIMITS.memoryTextBytes);
  check("category", category, LIMITS.memoryCategoryBytes);
  for (const topic of topics) check("topics", topic, LIMITS.memoryTopicBytes);
  if (structure === undefined) return faults;
  mapTexts(structure, (own, path, part) =>
    check(path, own, part === "key" ? LIMITS.entityAttributeKeyBytes : STRUCTURE_LIMITS[path]),
  );
  return faults;
}

// Asks a hook how to settle contradictions. This happens outside of the change: the hook's answer
// counts only while the memories are as it saw them, and any failure keeps both.

/** Time that one call waits for all answers. */
const ASK_MS = 5_000;
/** Calls of the hook at one time. */
const ASKED_TOGETHER = 8;

/** A hook, and how the memories will be decided on. */
interface Asking {
  readonly resolver: Resolver;
  readonly rules: RememberRules;
  readonly stampAt: (revision: number) => Stamp;
}

/** A new memory with the memories that it contradicts. */
interface Question {
  readonly index: number;
  readonly news: NewMemory;
  /** Oldest first. */
  readonly known: readonly Memory[];
}

/** Gives the new memories with the hook's answers, where there are any. */
async function askResolver(
  work: MemoryWork,
  asking: Asking,
  news: readonly NewMemory[],
): Promise<readonly NewMemory[]> {
  const questions = await contradictions(work, asking, news);
  if (questions.length === 0) return news;
  const answers = await ask(work, asking.resolver, questions);
  checkLive(work.call.signal);
  return news.map((one, index) => {
    const resolved = answers.get(index);
    return resolved === undefined ? one : { ...one, resolved };
  });
}

/** Current contradictions. None for a repeat of a call, which has its answer. */
async function contradictions(
  { parts, call, namespace, nowMs }: MemoryWork,
  { rules, stampAt }: Asking,
  news: readonly NewMemory[],
): Promise<readonly Question[]> {
  checkLive(call.signal);
  const { context } = parts;
  const { requestId } = call;
  const look = (view: MemoryView): readonly Question[] => {
    if (replayOf(context, call, view.reply) !== undefined) return [];
    const { memories, revision } = view;
    const plan = planRemember(memories, news, rules, stampAt(revision));
    return news.flatMap((one, index) => {
      if (!isPlaced(one, plan.results[index])) return [];
      const known = contradictedBy(memories, one, { rule: rules.conflict, nowMs });
      return known.length === 0 ? [] : [{ index, news: one, known }];
    });
  };
  return await context.store.changeMemories({ namespace, requestId }, (view) => ({
    kind: "answer",
    result: look(view),
  }));
}

/** Whether a draft becomes a new memory: one that is known already contradicts nothing. */
function isPlaced({ memoryId }: NewMemory, result: Remembered | undefined): boolean {
  if (result?.outcome === "created") return true;
  return result?.outcome === "updated" && memoryId !== "" && result.memory?.memoryId === memoryId;
}

/** Asks a few at a time until all are answered or the time is over. */
async function ask(
  { parts, call, namespace }: MemoryWork,
  resolver: Resolver,
  questions: readonly Question[],
): Promise<ReadonlyMap<number, Resolved>> {
  const answers = new Map<number, Resolved>();
  const late = new AbortController();
  const over = Promise.withResolvers<void>();
  const end = (): void => {
    late.abort();
    over.resolve();
  };
  const cancel = later(parts.context.world, end, ASK_MS);
  call.signal.addEventListener("abort", end, { once: true });
  const signal = late.signal;
  const waiting = [...questions];
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next && !signal.aborted; next = waiting.shift()) {
      try {
        const resolution = await resolver({ namespace, signal }, inputOf(next));
        answers.set(next.index, resolvedOf(resolution, next.known));
      } catch {
        // The hook is counted as failed where it is called; here both memories are kept.
      }
    }
  };
  try {
    const all = Array.from({ length: ASKED_TOGETHER }, worker);
    await Promise.race([Promise.all(all), over.promise]);
    return new Map(answers);
  } finally {
    late.abort();
    cancel();
    call.signal.removeEventListener("abort", end);
  }
}

function inputOf({ news, known }: Question): ResolveInput {
  // The newest first, and no more than a hook gets.
  const asked = known.slice(-LIMITS.resolveKnown).reverse();
  return {
    text: news.content.text,
    known: asked.map(({ content }) => content.text),
    key: news.content.key,
  };
}

function resolvedOf(resolution: Resolution, known: readonly Memory[]): Resolved {
  const asked = new Map(known.map(({ memoryId, etagRevision }) => [memoryId, etagRevision]));
  const { action } = resolution;
  return action === "merge" ? { action, text: resolution.text, asked } : { action, asked };
}

// Remember: one transaction holds the memories, what they supersede, what is evicted for them,
// their events, and the answer for the request id.

const RANDOM_BYTES = 10;
/** Memories that are decided on without a pause. */
const SHORT_MAX = 16;

/** Remembers one or many things. */
export async function remember(
  parts: MemoryParts,
  call: Call,
  input: RememberInput,
): Promise<Uint8Array> {
  const { namespace, drafts, conflict, reason } = input;
  const { world, etags } = parts.context;
  const work = memoryWork(parts, call, input);
  const { nowMs } = work;
  const resolver = conflict.mode === "ask-hook" ? resolverOf(parts, conflict.hook) : undefined;
  // Made ahead: a decision may run more than once, and has no randomness.
  const ids = drafts.map(() => makeMemoryId(nowMs, world.random(RANDOM_BYTES)));
  const stampAt = (revision: number): Stamp => ({
    ...{ revision, nowMs, writer: call.writer, reason },
    newId: (index) => ids[index] ?? makeMemoryId(nowMs, world.random(RANDOM_BYTES)),
  });
  const rules = rulesOf(input);
  const isNeutralized = input.neutralizePromptMarkers;
  const given = await newMemories(drafts, { nowMs, isNeutralized, etags }, parts.pace);
  const news =
    resolver === undefined ? given : await askResolver(work, { resolver, rules, stampAt }, given);
  const isLong = input.dedupe.mode === "similar" || drafts.length > SHORT_MAX;
  // Writes of others get in between those that take long.
  if (isLong) await parts.pace.turn(true);
  return await changeMemories(work, ({ memories, ownerOf, revision }) => {
    const expired = expiredIds(memories, news, nowMs);
    if (expired.length > 0) {
      throw new DoFirst(() => eraseExpiredMemories(parts.context, namespace, expired));
    }
    const owned = news.map((one) => withOwner(one, ownerOf(one.source.sessionId)));
    const plan = planRemember(memories, owned, rules, stampAt(revision));
    const { put, remove, evictedIds } = plan;
    const results = resultsOf(plan, etags);
    const answer = (of: number) => input.encode({ results, evictedIds, revision: of });
    if (put.length === 0 && remove.length === 0) return { answer };
    const details = rememberDetails(plan, memories, "caller");
    return { plan: { put, remove }, details, answer };
  });
}

/** A new memory with the owner of the session that it names, if there is such a session. */
function withOwner(news: NewMemory, owner: Owner | undefined): NewMemory {
  return owner === undefined ? news : { ...news, source: { ...news.source, owner } };
}

/** The ids of expired memories that new ones reuse: those must be erased first. */
function expiredIds(
  memories: MemoryReads,
  news: readonly NewMemory[],
  nowMs: number,
): readonly string[] {
  return news.flatMap(({ memoryId }) => {
    const memory = memoryId === "" ? undefined : memories.byId(memoryId);
    return memory !== undefined && isMemoryExpired(memory, nowMs) ? [memoryId] : [];
  });
}

function rulesOf({ dedupe, conflict, maxMemories }: RememberInput): RememberRules {
  const { mode, singleObject } = conflict;
  const limits = MEMORY_TIERS.map((tier) => [tier, maxMemories] as const);
  return {
    dedupe,
    // Each memory holds the hook's answer; without one both are kept.
    conflict: { mode: mode === "ask-hook" ? "keep-both" : mode, singleObject },
    limits: maxMemories === 0 ? {} : Object.fromEntries(limits),
  };
}

function resultsOf(
  { put, results, evictedIds }: RememberPlan,
  etags: Etags,
): RememberResult["results"] {
  const states = new Map(put.map((memory) => [memory.memoryId, memory]));
  const evicted = new Set(evictedIds);
  return results.map(({ memory, outcome, supersededIds }) => {
    const memoryId = memory?.memoryId ?? "";
    // A later memory of the same call may have changed it once more.
    const held = states.get(memoryId) ?? memory;
    const isGone = held === undefined || evicted.has(memoryId);
    return { memoryId, outcome, etag: isGone ? "" : etags.of(held.etagRevision), supersededIds };
  });
}
