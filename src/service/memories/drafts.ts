// Makes of what a caller gave what the domain remembers: what is not set gets its default.

import type { FieldViolation } from "../../domain/errors.ts";
import { requestInvalid } from "../../domain/errors.ts";
import type { Etags } from "../../domain/etag.ts";
import { LIMITS } from "../../domain/limits.ts";
import type { MemoryContent, MemoryStructure } from "../../domain/memories/memory.ts";
import { neutralizePromptMarkers } from "../../domain/memories/prompt-markers.ts";
import type { NewMemory } from "../../domain/memories/rules.ts";
import type { MemoryDraft } from "../memory-api.ts";
import type { Pace } from "../recall/pace.ts";

/** What is not set means this. */
export const MEMORY_DEFAULTS = { importance: 0.5, confidence: 1, category: "general" } as const;
/** So many are neutralized in one turn. */
const AT_ONCE = 8;

/** Makes what is to be remembered, a few in each turn. Throws REQUEST_INVALID. */
export async function newMemories(
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
  return {
    ...{ memoryId, kind, scope, trust, persistent, ttlMs, lastSeenMs },
    content: contentOf(draft),
    confidence: draft.confidence ?? MEMORY_DEFAULTS.confidence,
    source: { origin: "caller", ...source, hook: "", model: "" },
    // An etag that is none is no memory's.
    ...(etag === "" ? {} : { expectedRevision: etags.revisionOf(etag) ?? -1 }),
  };
}

function contentOf(draft: MemoryDraft): MemoryContent {
  const { text, structure, key, topics, labels, metadata, validFromMs, validToMs } = draft;
  return {
    ...{ text, structure, key, topics, labels, metadata, validFromMs, validToMs },
    category: draft.category === "" ? MEMORY_DEFAULTS.category : draft.category,
    importance: draft.importance ?? MEMORY_DEFAULTS.importance,
  };
}

/** A time that was still to come when it was given. */
export function timeFaults(
  { lastSeenMs }: Pick<MemoryDraft, "lastSeenMs">,
  nowMs: number,
  field: string,
): readonly FieldViolation[] {
  if (lastSeenMs === undefined || lastSeenMs <= nowMs) return [];
  return [{ field: `${field}.last_seen_time`, description: "must not be in the future" }];
}

function neutral(draft: MemoryDraft): MemoryDraft {
  return {
    ...draft,
    text: neutralizePromptMarkers(draft.text),
    category: neutralizePromptMarkers(draft.category),
    topics: draft.topics.map(neutralizePromptMarkers),
    structure: draft.structure === undefined ? undefined : neutralStructure(draft.structure),
  };
}

function neutralStructure(structure: MemoryStructure): MemoryStructure {
  switch (structure.kind) {
    case "entity": {
      const { name, type, aliases, attributes } = structure.entity;
      const pairs = [...attributes].map(
        ([key, value]) => [neutralizePromptMarkers(key), neutralizePromptMarkers(value)] as const,
      );
      const safe = {
        name: neutralizePromptMarkers(name),
        type: neutralizePromptMarkers(type),
        aliases: aliases.map(neutralizePromptMarkers),
      };
      return { kind: "entity", entity: { ...safe, attributes: new Map(pairs) } };
    }
    case "relation": {
      const { subject, predicate, object } = structure.relation;
      const relation = {
        subject: neutralizePromptMarkers(subject),
        predicate: neutralizePromptMarkers(predicate),
        object: neutralizePromptMarkers(object),
      };
      return { kind: "relation", relation };
    }
    case "episode": {
      const { userText, assistantText } = structure.episode;
      const episode = {
        userText: neutralizePromptMarkers(userText),
        assistantText: neutralizePromptMarkers(assistantText),
      };
      return { kind: "episode", episode };
    }
  }
}

/** Texts that were within their limits, and are not any more. */
function sizeFaults(made: NewMemory, field: string): readonly FieldViolation[] {
  return textsOf(made).flatMap(([path, text, limit]) => {
    const bytes = Buffer.byteLength(text);
    if (bytes <= limit) return [];
    const description = `takes ${bytes} bytes without its markers, and may take at most ${limit}`;
    return [{ field: `${field}.${path}`, description }];
  });
}

type Measured = readonly [path: string, text: string, limit: number];

function textsOf({ kind, content }: NewMemory): readonly Measured[] {
  const { text, category, topics, structure } = content;
  // An entity without a structure has its text as name.
  const isName = kind === "entity" && structure === undefined;
  return [
    ["text", text, isName ? LIMITS.entityNameBytes : LIMITS.memoryTextBytes],
    ["category", category, LIMITS.memoryCategoryBytes],
    ...topics.map((topic): Measured => ["topics", topic, LIMITS.memoryTopicBytes]),
    ...(structure === undefined ? [] : structureTexts(structure)),
  ];
}

function structureTexts(structure: MemoryStructure): readonly Measured[] {
  switch (structure.kind) {
    case "entity": {
      const { name, type, aliases, attributes } = structure.entity;
      return [
        ["entity.name", name, LIMITS.entityNameBytes],
        ["entity.type", type, LIMITS.entityTypeBytes],
        ...aliases.map((alias): Measured => ["entity.aliases", alias, LIMITS.entityNameBytes]),
        ...[...attributes].flatMap(([key, value]): Measured[] => [
          ["entity.attributes", key, LIMITS.entityAttributeKeyBytes],
          ["entity.attributes", value, LIMITS.entityAttributeValueBytes],
        ]),
      ];
    }
    case "relation": {
      const { subject, predicate, object } = structure.relation;
      return [
        ["relation.subject", subject, LIMITS.relationSubjectBytes],
        ["relation.predicate", predicate, LIMITS.relationPredicateBytes],
        ["relation.object", object, LIMITS.relationObjectBytes],
      ];
    }
    case "episode": {
      const { userText, assistantText } = structure.episode;
      return [
        ["episode.user_text", userText, LIMITS.episodeTextBytes],
        ["episode.assistant_text", assistantText, LIMITS.episodeTextBytes],
      ];
    }
  }
}
