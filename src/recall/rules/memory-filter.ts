// Whether a filter means a memory.

import type { FlatMetadata } from "../recall/filter.ts";
import { hasLabels, passesCondition } from "../recall/metadata-test.ts";
import type { MemoryFilter } from "./filter.ts";
import { isMemoryExpired, type Memory } from "./memory.ts";
import { meansScope } from "./scopes.ts";

/** What a filter is compared at and with. */
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
    text.toLowerCase().includes(wanted) ||
    topics.some((topic) => topic.toLowerCase().includes(wanted))
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
    (filter.sourceSessionId === "" || source.sessionId === filter.sourceSessionId) &&
    (filter.origin === undefined || source.origin === filter.origin)
  );
}

/** Whether a filter means a memory. One whose time has run out is never meant. */
export function matchesMemory(memory: Memory, filter: MemoryFilter, at: MatchAt): boolean {
  if (isMemoryExpired(memory, at.nowMs) || !stateFits(memory, filter)) return false;
  if (filter.kinds.size > 0 && !filter.kinds.has(memory.kind)) return false;
  if (!meansScope(memory.scope, filter.scope) || !standingFits(memory, filter)) return false;
  if (!timeFits(memory, filter) || !subjectFits(memory, filter)) return false;
  if (filter.metadata.length === 0) return true;
  const metadata = at.flat?.(memory) ?? NO_METADATA;
  return filter.metadata.every((condition) => passesCondition(metadata, condition));
}
