// Finds facts, entities and relations in messages or in a text, by the rules of the server or by a
// hook, and makes memories of them. What a hook gives is a proposal: it has the lowest trust, names
// its messages, and deletes nothing.

import { hookNotConfigured } from "../../domain/errors.ts";
import { LIMITS } from "../../domain/limits.ts";
import { describeStructure } from "../../domain/memories/describe.ts";
import type { Extracted, ExtractInput, ExtractionLine } from "../../domain/memories/extracted.ts";
import type { MemoryLookup } from "../../domain/memories/lookup.ts";
import {
  isMemoryExpired,
  type MemoryContent,
  type MemoryKind,
  type MemoryScope,
  type MemoryStructure,
  type Relation,
} from "../../domain/memories/memory.ts";
import {
  BUILTIN_EXTRACTOR,
  type ExtractionPolicy,
  type MemoryPolicy,
} from "../../domain/memories/policy.ts";
import type { NewMemory, RememberRules } from "../../domain/memories/rules.ts";
import { nameKeyOf, normalText } from "../../domain/memories/text-key.ts";
import { TRUST } from "../../domain/summaries/summary.ts";
import type { SessionView, StoredMessage } from "../../storage/store.ts";
import { HookFailure } from "../hook-port.ts";
import { guardedCall } from "../tasks/guarded-call.ts";
import { HookState } from "../tasks/hook-state.ts";
import { type ExtractBatch, extractInputs } from "./extract-input.ts";
import { extractInTurns } from "./extract-rules.ts";
import type { MemoryParts } from "./parts.ts";

/** How much longer than its own timeout a hook may take before its call is given up. */
const GUARD_MS = 5_000;
/** How long is waited for workers, who have no timeout but their leases. */
const WORKERS_MS = 600_000;

/** What finding works with. */
export type ExtractParts = Pick<MemoryParts, "context" | "states">;

/** The name of what finds, as memories keep it. */
export function extractorOf({ hook }: Pick<ExtractionPolicy, "hook">): string {
  return hook === "" ? BUILTIN_EXTRACTOR : hook;
}

/**
 * Finds what is in messages or in a text. Changes nothing. Throws HOOK_NOT_CONFIGURED when the
 * server has no such hook, HookFailure when it fails, and DEADLINE_EXCEEDED when nobody waits.
 */
export async function extractBatch(parts: ExtractParts, batch: ExtractBatch): Promise<Found> {
  const name = extractorOf(batch.policy);
  if (name === BUILTIN_EXTRACTOR) {
    const inputs = extractInputs(parts.context, batch, []);
    const lines = inputs.flatMap((input) => input.lines);
    const extracted = await extractInTurns(lines, batch.policy.targets, batch.signal);
    return { ...extracted, known: [] };
  }
  const ask = hookCall(parts, name, batch);
  const known = await knownMemories(parts, batch);
  const texts = known.map(({ text }) => text);
  const inputs = extractInputs(parts.context, batch, texts);
  const all: Extracted[] = [];
  for (const input of inputs) all.push(withTimes(await ask(input), input.lines));
  return { ...merged(all), known };
}

/** A memory that a hook was told of. */
interface KnownMemory {
  readonly memoryId: string;
  readonly text: string;
}

/** What was found, and what the hook was told. */
export interface Found extends Extracted {
  readonly known: readonly KnownMemory[];
}

/**
 * New memories without those that only repeat what the hook was told and what was forgotten while
 * it worked.
 */
export function withoutForgotten(
  news: readonly NewMemory[],
  { known }: Pick<Found, "known">,
  memories: Pick<MemoryLookup, "byId">,
): readonly NewMemory[] {
  const forgotten = new Set(
    known
      .filter(({ memoryId }) => memories.byId(memoryId) === undefined)
      .map(({ text }) => normalText(text)),
  );
  if (forgotten.size === 0) return news;
  return news.filter(({ content }) => !forgotten.has(normalText(content.text)));
}

type AskHook = (input: ExtractInput) => Promise<Extracted>;

/** How a hook is asked. Throws HOOK_NOT_CONFIGURED. */
function hookCall({ context, states }: ExtractParts, name: string, batch: ExtractBatch): AskHook {
  const hook = context.hooks.byName.get(name);
  const extract = hook?.extract;
  if (hook === undefined)
    throw hookNotConfigured(name, "The server has no extractor of this name.");
  if (extract === undefined) {
    const problem = "its settings do not say that it does extract.";
    throw hookNotConfigured(name, `The hook of this name is no extractor: ${problem}`);
  }
  const { world } = context;
  const state = states.get(name) ?? new HookState(hook, world);
  const timeoutMs = hook.kind === "poll" ? WORKERS_MS : hook.settings.timeoutMs + GUARD_MS;
  const { namespace, sessionId, signal } = batch;
  return async (input) =>
    await guardedCall(
      { state, world, timeoutMs },
      { namespace, signal, sessionId },
      [input.transcript, input.instructions, ...input.known],
      async (call) => sound(await extract({ ...call, sessionId }, input)),
    );
}

/** Whatever a hook gave, its lists are no longer than they may be. */
function sound(extracted: Extracted): Extracted {
  const { facts, entities, relations } = extracted;
  const most = Math.max(facts.length, entities.length, relations.length);
  if (most <= LIMITS.extractedItems) return extracted;
  throw new HookFailure("invalid-output", "The hook found more than it may.");
}

/** What is known of the scope, the newest first. */
async function knownMemories(
  { context }: ExtractParts,
  { namespace, scope }: ExtractBatch,
): Promise<readonly KnownMemory[]> {
  const { memories } = await context.store.listMemories({
    ...{ namespace, order: "desc", limit: 2 * LIMITS.extractKnown },
    within: { kind: "scope", scope },
  });
  const nowMs = context.world.nowMs();
  const known = memories
    .filter((memory) => memory.state === "active" && memory.kind !== "episode")
    .filter((memory) => !isMemoryExpired(memory, nowMs))
    .map(({ content, memoryId }) => ({ memoryId, text: content.text }))
    .filter(({ text }) => Buffer.byteLength(text) <= LIMITS.extractedFactBytes);
  return known.slice(0, LIMITS.extractKnown);
}

/** Says of facts that answer something since when: at the latest since they were said. */
function withTimes(extracted: Extracted, lines: readonly ExtractionLine[]): Extracted {
  const saidMs = new Map(lines.map((line) => [line.messageId, line.saidMs]));
  const newest = (ids: readonly string[]): number | undefined => {
    const times = (ids.length === 0 ? [...saidMs.keys()] : ids).flatMap(
      (id) => saidMs.get(id) ?? [],
    );
    return times.length === 0 ? undefined : Math.max(...times);
  };
  const facts = extracted.facts.map((fact) =>
    fact.key === "" || fact.validFromMs !== undefined
      ? fact
      : { ...fact, validFromMs: newest(fact.messageIds) },
  );
  return { ...extracted, facts };
}

function merged(all: readonly Extracted[]): Extracted {
  return {
    facts: all.flatMap(({ facts }) => facts),
    entities: all.flatMap(({ entities }) => entities),
    relations: all.flatMap(({ relations }) => relations),
    model: all.at(-1)?.model ?? "",
    rejectedCount: all.reduce((sum, { rejectedCount }) => sum + rejectedCount, 0),
  };
}

/** Those of some messages that have gone, or changed, since they were read; all were loaded. */
export function changedSince(
  messages: readonly StoredMessage[],
  { messagesAt }: Pick<SessionView, "messagesAt">,
): readonly StoredMessage[] {
  const now = new Map(
    messagesAt(messages.map(({ seq }) => seq))?.map(({ seq, bytes }) => [seq, bytes]),
  );
  return messages.filter(({ seq, bytes }) => {
    const present = now.get(seq);
    return present === undefined || Buffer.compare(present, bytes) !== 0;
  });
}

/** What is left of what was found when messages have gone, or changed, meanwhile. */
export function withoutMessages(extracted: Extracted, gone: ReadonlySet<string>): Extracted {
  if (gone.size === 0) return extracted;
  // What names no message may come from any of them.
  const kept = <T extends { readonly messageIds: readonly string[] }>(items: readonly T[]): T[] =>
    items.filter(
      ({ messageIds }) => messageIds.length > 0 && !messageIds.some((id) => gone.has(id)),
    );
  return {
    ...extracted,
    facts: kept(extracted.facts),
    entities: kept(extracted.entities),
    relations: kept(extracted.relations),
  };
}

/** What memories made of what was found have in common. */
export interface FoundFrom {
  readonly scope: MemoryScope;
  /** Empty for a text, as are the ids. */
  readonly sessionId: string;
  /** The messages that were looked at, oldest first. */
  readonly messageIds: readonly string[];
  /** What found it; see extractorOf. */
  readonly hook: string;
}

/** Makes memories of what was found: facts, then entities, then relations. */
export function newMemoriesOf(extracted: Extracted, from: FoundFrom): readonly NewMemory[] {
  const { facts, entities, relations } = extracted;
  const make = maker(extracted, from);
  return [
    ...facts.map((fact) =>
      make(fact.isPreference ? "preference" : "fact", fact.messageIds, {
        ...{ text: fact.text, structure: undefined, key: fact.key, topics: fact.topics },
        category: fact.category === "" ? CATEGORY : fact.category,
        ...{ importance: fact.importance ?? IMPORTANCE, validFromMs: fact.validFromMs },
        confidence: fact.confidence,
      }),
    ),
    ...entities.map(({ messageIds, ...entity }) =>
      make("entity", messageIds, ofStructure({ kind: "entity", entity }, undefined)),
    ),
    ...relations.map(({ messageIds, confidence, ...relation }) => {
      const own = ofStructure({ kind: "relation", relation }, confidence);
      return make("relation", messageIds, { ...own, key: keyOfRelation(relation) });
    }),
  ];
}

/** Predicates with one object at a time: a new one takes the place of the old one. */
const SINGULAR: ReadonlySet<string> = new Set([
  ...["lives_in", "works_at", "is_married_to", "was_born_in", "grew_up_in"],
  ...["has_wife", "has_husband", "has_partner", "has_mother", "has_father", "has_boss"],
]);

/** What a relation is the current answer to; empty when there may be several. */
function keyOfRelation({ subject, predicate }: Relation): string {
  const name = predicate.trim().toLowerCase().replaceAll(" ", "_");
  const key = `${nameKeyOf(subject)} ${name}`;
  return SINGULAR.has(name) && Buffer.byteLength(key) <= LIMITS.memoryKeyBytes ? key : "";
}

const IMPORTANCE = 0.5;
const CATEGORY = "general";

type Own = Pick<
  MemoryContent,
  "text" | "structure" | "key" | "category" | "topics" | "importance" | "validFromMs"
> & { readonly confidence: number | undefined };

function ofStructure(structure: MemoryStructure, confidence: number | undefined): Own {
  return {
    ...{ text: describeStructure(structure), structure, key: "", category: CATEGORY, topics: [] },
    ...{ importance: IMPORTANCE, validFromMs: undefined, confidence },
  };
}

function maker({ model }: Extracted, { scope, sessionId, messageIds, hook }: FoundFrom) {
  return (kind: MemoryKind, named: readonly string[], { confidence, ...own }: Own): NewMemory => ({
    ...{ memoryId: "", kind, scope, trust: TRUST.low, persistent: false, ttlMs: 0 },
    content: { ...own, labels: new Map(), metadata: new Uint8Array(), validToMs: undefined },
    confidence: confidence ?? 1,
    source: {
      ...{ origin: "extraction", sessionId, hook, model },
      messageIds: (named.length === 0 ? messageIds : named).slice(-LIMITS.memorySourceMessages),
    },
    lastSeenMs: undefined,
  });
}

const SIMILAR = 0.9;

/** How what was found is remembered. */
export function extractionRules(policy: MemoryPolicy): RememberRules {
  const { extraction, longTermLimit, entityLimit, relationLimit } = policy;
  const isByRules = extraction === undefined || extractorOf(extraction) === BUILTIN_EXTRACTOR;
  return {
    dedupe: {
      // The rules say the same thing in the same words, and other things in words much like these.
      mode: isByRules ? "same-text" : "similar",
      ...{ threshold: SIMILAR, window: LIMITS.dedupeWindowDefault, keepUnchanged: false },
    },
    conflict: {
      mode: extraction?.supersede === false ? "keep-both" : "supersede",
      singleObject: false,
    },
    limits: { "long-term": longTermLimit, entities: entityLimit, relations: relationLimit },
  };
}
