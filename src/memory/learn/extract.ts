// The input of extractors, and the memories made of their results.

import type { ServiceContext } from "../../core/context.ts";
import { extractInTurns } from "../../hooks/builtin.ts";
import { guardedCall, guardOf } from "../../hooks/hook-state.ts";
import { HookFailure } from "../../hooks/port.ts";
import { hookNotConfigured } from "../../kit/errors.ts";
import { LIMITS } from "../../kit/limits.ts";
import { ownerOf, type Session } from "../../session/rules/session.ts";
import type { SessionView, StoredMessage } from "../../store/store.ts";
import { transcriptOf } from "../../summary/rules/inputs.ts";
import { TRUST } from "../../summary/rules/summary.ts";
import {
  BUILTIN_EXTRACTOR,
  type ExtractionPolicy,
  type MemoryPolicy,
} from "../../window/policy/memory-policy.ts";
import { ROLE_NAMES } from "../../window/rules/types.ts";
import type { HookParts } from "../parts.ts";
import type { Extracted, ExtractInput, ExtractionLine } from "../rules/extracted.ts";
import type { MemoryLookup } from "../rules/lookup.ts";
import {
  describeStructure,
  isMemoryExpired,
  MEMORY_DEFAULTS,
  type MemoryKind,
  type MemoryScope,
  type MemoryStructure,
  type Relation,
} from "../rules/memory.ts";
import { learnt, type NewMemory, type RememberRules } from "../rules/rules.ts";
import { nameKeyOf, normalText } from "../rules/text-key.ts";

/** The messages or the text of an extraction. */
interface ExtractBatch {
  readonly namespace: string;
  /** Empty for a text. */
  readonly sessionId: string;
  /** By rising seq; empty for a text. */
  readonly messages: readonly Pick<StoredMessage, "messageId" | "bytes">[];
  /** Empty unless it is a text. */
  readonly text: string;
  /** The scope of the new memories: a hook gets what is known in it. */
  readonly scope: MemoryScope;
  readonly policy: ExtractionPolicy;
  readonly signal: AbortSignal;
}

/** The most bytes of messages in one call. */
const BYTES_MAX = 1_048_576;

/** The inputs of all calls; none when there is nothing to read. */
function extractInputs(
  context: Pick<ServiceContext, "codec" | "world">,
  batch: Pick<ExtractBatch, "messages" | "text" | "policy">,
  known: readonly string[],
): readonly ExtractInput[] {
  const { targets, instructions } = batch.policy;
  const shared = { targets, instructions, known };
  if (batch.text !== "") {
    const { text } = batch;
    const line = { role: "user", text, name: "", messageId: "" } as const;
    const lines = [{ ...line, saidMs: context.world.nowMs() }];
    return [{ ...shared, messages: [], lines, text, transcript: transcriptOf(lines, "capitals") }];
  }
  return piecesOf(batch.messages)
    .map((messages) => ({ messages, lines: linesOf(context, messages) }))
    .filter(({ lines }) => lines.length > 0)
    .map(({ messages, lines }) => ({
      ...shared,
      messages: messages.map(({ bytes }) => bytes),
      ...{ lines, text: "", transcript: transcriptOf(lines, "capitals") },
    }));
}

type Messages = ExtractBatch["messages"];

/** Messages in runs that one call is given. */
function piecesOf(messages: Messages): readonly Messages[] {
  const pieces: Messages[number][][] = [];
  let left = 0;
  for (const message of messages) {
    const piece = pieces.at(-1);
    const isFull = piece === undefined || piece.length >= LIMITS.extractMessages;
    if (isFull || message.bytes.length > left) {
      pieces.push([message]);
      left = BYTES_MAX - message.bytes.length;
      continue;
    }
    piece.push(message);
    left -= message.bytes.length;
  }
  return pieces;
}

function linesOf({ codec }: Pick<ServiceContext, "codec">, messages: Messages): ExtractionLine[] {
  return messages.flatMap(({ messageId, bytes }) => {
    const { text, saidMs } = codec.readSpeech(bytes);
    if (text.trim() === "") return [];
    const role = ROLE_NAMES[codec.readFacts(bytes).role];
    return [{ role, text, name: codec.readDetail(bytes).name, messageId, saidMs }];
  });
}

// Finds facts, entities and relations in messages or in a text, by the rules of the server or by a
// hook, and makes memories of them. The output of a hook is a proposal: it has the lowest trust,
// names its messages, and deletes nothing.

/** The name of the extractor, as memories keep it. */
export function extractorOf({ hook }: Pick<ExtractionPolicy, "hook">): string {
  return hook === "" ? BUILTIN_EXTRACTOR : hook;
}

/**
 * Extracts from messages or a text. Changes nothing. Throws HOOK_NOT_CONFIGURED when the
 * server has no such hook, HookFailure when it fails, and DEADLINE_EXCEEDED when the call ends.
 */
export async function extractBatch(parts: HookParts, batch: ExtractBatch): Promise<Found> {
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

/** A memory in the input of a hook. */
interface KnownMemory {
  readonly memoryId: string;
  readonly text: string;
}

/** The results, and the known memories in the input of the hook. */
export interface Found extends Extracted {
  readonly known: readonly KnownMemory[];
}

/**
 * New memories without those that only repeat known memories that were forgotten while the hook
 * worked.
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

/** Call of the hook. Throws HOOK_NOT_CONFIGURED. */
function hookCall(parts: HookParts, name: string, batch: ExtractBatch): AskHook {
  const hook = parts.context.hooks.byName.get(name);
  const extract = hook?.extract;
  if (hook === undefined)
    throw hookNotConfigured(name, "The server has no extractor of this name.");
  if (extract === undefined) {
    const problem = "its settings do not say that it does extract.";
    throw hookNotConfigured(name, `The hook of this name is not an extractor: ${problem}`);
  }
  const { namespace, sessionId, signal } = batch;
  return async (input) =>
    await guardedCall(
      guardOf(parts, hook),
      { namespace, signal, sessionId },
      [input.transcript, input.instructions, ...input.known],
      async (call) => sound(await extract({ ...call, sessionId }, input)),
    );
}

/** Refuses the output of a hook when one of its lists is too long. */
function sound(extracted: Extracted): Extracted {
  const { facts, entities, relations } = extracted;
  const most = Math.max(facts.length, entities.length, relations.length);
  if (most <= LIMITS.extractedItems) return extracted;
  throw new HookFailure("invalid-output", "The hook found more items than allowed.");
}

/** The known memories of the scope, the newest first. */
async function knownMemories(
  { context }: HookParts,
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

/** Dates facts with a key that have no start: they hold since they were said at the latest. */
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

/** Messages that were deleted or changed since they were read. */
export function changedSince(
  messages: readonly StoredMessage[],
  { messagesAt }: Pick<SessionView, "messagesAt">,
): readonly StoredMessage[] {
  const now = new Map(
    messagesAt(messages.map(({ seq }) => seq)).map(({ seq, bytes }) => [seq, bytes]),
  );
  return messages.filter(({ seq, bytes }) => {
    const present = now.get(seq);
    return present === undefined || Buffer.compare(present, bytes) !== 0;
  });
}

/** The results without those of messages that were deleted or changed meanwhile. */
export function withoutMessages(extracted: Extracted, gone: ReadonlySet<string>): Extracted {
  if (gone.size === 0) return extracted;
  // A result that names no message may come from any of them.
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

/** The common origin of extracted memories. */
interface FoundFrom {
  readonly scope: MemoryScope;
  /** Unset for a text. */
  readonly session?: Pick<Session, "sessionId" | "fields"> | undefined;
  /** The messages that were read, oldest first. */
  readonly messageIds: readonly string[];
  /** The name of the extractor; see extractorOf. */
  readonly hook: string;
}

/** Makes memories of the results: facts, then entities, then relations. */
export function newMemoriesOf(extracted: Extracted, from: FoundFrom): readonly NewMemory[] {
  const { facts, entities, relations } = extracted;
  const make = maker(extracted, from);
  return [
    ...facts.map((fact) =>
      make(fact.isPreference ? "preference" : "fact", fact.messageIds, {
        ...{ text: fact.text, key: fact.key, topics: fact.topics, validFromMs: fact.validFromMs },
        category: fact.category === "" ? MEMORY_DEFAULTS.category : fact.category,
        importance: fact.importance ?? MEMORY_DEFAULTS.importance,
        confidence: fact.confidence,
      }),
    ),
    ...entities.map(({ messageIds, ...entity }) =>
      make("entity", messageIds, ofStructure({ kind: "entity", entity })),
    ),
    ...relations.map(({ messageIds, confidence, ...relation }) => {
      const own = ofStructure({ kind: "relation", relation });
      return make("relation", messageIds, { ...own, key: keyOfRelation(relation), confidence });
    }),
  ];
}

/** Predicates with one object at a time: a new one replaces the old one. */
const SINGULAR: ReadonlySet<string> = new Set([
  ...["lives_in", "works_at", "is_married_to", "was_born_in", "grew_up_in"],
  ...["has_wife", "has_husband", "has_partner", "has_mother", "has_father", "has_boss"],
]);

/** The key of a relation with one object at a time; empty for others. */
function keyOfRelation({ subject, predicate }: Relation): string {
  const name = predicate.trim().toLowerCase().replaceAll(" ", "_");
  const key = `${nameKeyOf(subject)} ${name}`;
  return SINGULAR.has(name) && Buffer.byteLength(key) <= LIMITS.memoryKeyBytes ? key : "";
}

type Own = Parameters<typeof learnt>[1] & { readonly confidence?: number | undefined };

function ofStructure(structure: MemoryStructure): Own {
  return { text: describeStructure(structure), structure };
}

function maker({ model }: Extracted, { scope, session, messageIds, hook }: FoundFrom) {
  const of = { sessionId: session?.sessionId ?? "", ...(session && { owner: ownerOf(session) }) };
  return (
    kind: MemoryKind,
    named: readonly string[],
    { confidence, ...content }: Own,
  ): NewMemory => {
    const ids = (named.length === 0 ? messageIds : named).slice(-LIMITS.memorySourceMessages);
    const source = { origin: "extraction", ...of, messageIds: ids, hook, model } as const;
    return learnt({ kind, scope, trust: TRUST.low, source }, content, confidence);
  };
}

const SIMILAR = 0.9;

/** Rules for remembering the results. */
export function extractionRules(policy: MemoryPolicy): RememberRules {
  const { extraction, longTermLimit, entityLimit, relationLimit } = policy;
  const isByRules = extraction === undefined || extractorOf(extraction) === BUILTIN_EXTRACTOR;
  return {
    dedupe: {
      // The rules word the same fact identically, and different facts similarly.
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
