// Filter of the memories that a call selects.

import { holdsPart } from "../../kit/find-part.ts";
import {
  isMemoryExpired,
  type Memory,
  type MemoryKind,
  type MemoryOrigin,
  sessionsOfSource,
} from "../../memory/rules/memory.ts";
import { meansScope, type ScopeFilter } from "../../memory/rules/scopes.ts";
import type { Trust } from "../../summary/rules/summary.ts";
import type { FlatMetadata, MetadataCondition } from "./filter.ts";
import { hasLabels, passesAll } from "./item-tests.ts";

/** Selected memories; see memorysidecar.v1.MemoryFilter. Empty and undefined mean any. */
export interface MemoryFilter {
  readonly scope: ScopeFilter;
  readonly kinds: ReadonlySet<MemoryKind>;
  /** Empty means active ones, or with `validAtMs` both; PurgeMemories fills in both. */
  readonly states: ReadonlySet<Memory["state"]>;
  /** In lower case, as are topics. */
  readonly categories: ReadonlySet<string>;
  readonly topics: ReadonlySet<string>;
  readonly key: string;
  readonly textContains: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly metadata: readonly MetadataCondition[];
  readonly minImportance: number;
  readonly minConfidence: number;
  readonly minTrust: Trust | undefined;
  readonly persistent: boolean | undefined;
  readonly validAtMs: number | undefined;
  readonly createFromMs: number | undefined;
  readonly createBeforeMs: number | undefined;
  readonly seenFromMs: number | undefined;
  readonly seenBeforeMs: number | undefined;
  readonly sourceSessionId: string;
  readonly origin: MemoryOrigin | undefined;
  readonly sourceErased: boolean | undefined;
}

// Whether a filter means a memory.

/** The time of a match, and how metadata is read. */
export interface MatchAt {
  readonly nowMs: number;
  /** Reads the metadata of a memory. Without it no memory has any. */
  readonly flat?: (memory: Memory) => FlatMetadata;
}

const NO_METADATA: FlatMetadata = new Map();

function stateFits({ state }: Memory, { states, validAtMs }: MemoryFilter): boolean {
  if (states.size > 0) return states.has(state);
  return state === "active" || validAtMs !== undefined;
}

function subjectFits({ content }: Memory, filter: MemoryFilter): boolean {
  const { categories, topics, key, textContains, labels } = filter;
  if (key !== "" && content.key !== key) return false;
  if (categories.size > 0 && !categories.has(content.category.toLowerCase())) return false;
  if (topics.size > 0 && !content.topics.some((topic) => topics.has(topic.toLowerCase()))) {
    return false;
  }
  if (textContains !== "" && !holdsText(content, textContains.toLowerCase())) return false;
  return hasLabels(content.labels, labels);
}

/** Whether the text or a topic holds a text, which is in lower case. */
export function holdsText({ text, topics }: Memory["content"], wanted: string): boolean {
  return (
    holdsPart(text.toLowerCase(), wanted) ||
    topics.some((topic) => holdsPart(topic.toLowerCase(), wanted))
  );
}

function timeFits({ content, strength, createMs }: Memory, filter: MemoryFilter): boolean {
  const { validAtMs } = filter;
  const { validFromMs = -Infinity, validToMs = Infinity } = content;
  if (validAtMs !== undefined && (validAtMs < validFromMs || validAtMs >= validToMs)) return false;
  return (
    createMs >= (filter.createFromMs ?? -Infinity) &&
    createMs < (filter.createBeforeMs ?? Infinity) &&
    strength.lastSeenMs >= (filter.seenFromMs ?? -Infinity) &&
    strength.lastSeenMs < (filter.seenBeforeMs ?? Infinity)
  );
}

function standingFits(memory: Memory, filter: MemoryFilter): boolean {
  const { content, strength, source } = memory;
  return (
    content.importance >= filter.minImportance &&
    strength.confidence >= filter.minConfidence &&
    memory.trust >= (filter.minTrust ?? 0) &&
    (filter.persistent === undefined || memory.persistent === filter.persistent) &&
    (filter.sourceSessionId === "" || namesSession(source, filter.sourceSessionId)) &&
    (filter.origin === undefined || source.origin === filter.origin) &&
    (filter.sourceErased === undefined || (source.erasedMs !== undefined) === filter.sourceErased)
  );
}

function namesSession(source: Memory["source"], wanted: string): boolean {
  return sessionsOfSource(source).some(({ sessionId }) => sessionId === wanted);
}

/** Whether a filter means a memory. One whose time has run out is never meant. */
export function matchesMemory(memory: Memory, filter: MemoryFilter, at: MatchAt): boolean {
  if (isMemoryExpired(memory, at.nowMs) || !stateFits(memory, filter)) return false;
  if (filter.kinds.size > 0 && !filter.kinds.has(memory.kind)) return false;
  if (!meansScope(memory.scope, filter.scope) || !standingFits(memory, filter)) return false;
  if (!timeFits(memory, filter) || !subjectFits(memory, filter)) return false;
  if (filter.metadata.length === 0) return true;
  const metadata = at.flat?.(memory) ?? NO_METADATA;
  return passesAll({ labels: memory.content.labels, metadata }, filter.metadata);
}
