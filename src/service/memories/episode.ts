// Turns as episodes, and how long they are kept.

import { EVENT_TYPE, type EventDetail } from "../../domain/event.ts";
import { LIMITS } from "../../domain/limits.ts";
import { describeStructure } from "../../domain/memories/describe.ts";
import { retentionCutMs } from "../../domain/memories/episodes.ts";
import type { MemoryLookup } from "../../domain/memories/lookup.ts";
import type { Memory, MemoryScope, MemoryStructure } from "../../domain/memories/memory.ts";
import type { EpisodePolicy } from "../../domain/memories/policy.ts";
import type { NewMemory } from "../../domain/memories/rules.ts";
import type { Session } from "../../domain/session.ts";
import { TRUST } from "../../domain/summaries/summary.ts";
import { cutText } from "../cut-text.ts";

/** Episodes that one turn removes at most. */
const OVERDUE_MAX = 1_000;
const IMPORTANCE = 0.5;
const NO_METADATA = new Uint8Array(0);

/** What a turn says. */
export interface EpisodeInput {
  readonly userText: string;
  readonly assistantText: string;
  /** When it was. */
  readonly turnMs: number;
  /** Those of its messages. */
  readonly messageIds: readonly string[];
}

/** The episode of a turn; undefined when its day is over already. */
export function episodeOf(
  { sessionId }: Pick<Session, "sessionId">,
  { userText, assistantText, turnMs, messageIds }: EpisodeInput,
  by: EpisodePolicy & { readonly scope: MemoryScope; readonly nowMs: number },
): NewMemory | undefined {
  const { retentionDays, scope, nowMs } = by;
  if (turnMs < retentionCutMs(nowMs, retentionDays)) return undefined;
  const structure: MemoryStructure = {
    kind: "episode",
    episode: {
      userText: cutText(userText, LIMITS.episodeTextBytes),
      assistantText: cutText(assistantText, LIMITS.episodeTextBytes),
    },
  };
  return {
    memoryId: "",
    kind: "episode",
    scope,
    content: {
      text: describeStructure(structure),
      structure,
      key: "",
      category: "general",
      topics: [],
      importance: IMPORTANCE,
      labels: new Map(),
      metadata: NO_METADATA,
      validFromMs: turnMs,
      validToMs: undefined,
    },
    confidence: 1,
    trust: TRUST.medium,
    persistent: false,
    ttlMs: 0,
    source: { origin: "turn", sessionId, messageIds, hook: "", model: "" },
    lastSeenMs: undefined,
  };
}

/** Episodes of a scope whose days are over, the oldest first. Persistent ones stay. */
export function overdueEpisodes(
  memories: MemoryLookup,
  scope: MemoryScope,
  { retentionDays, nowMs }: EpisodePolicy & { readonly nowMs: number },
): readonly Memory[] {
  const cutMs = retentionCutMs(nowMs, retentionDays);
  const oldest = memories.evictable(scope, "episodes", OVERDUE_MAX);
  return oldest.filter(({ content, createMs }) => (content.validFromMs ?? createMs) < cutMs);
}

/** What is told of them. */
export function retentionDetail(overdue: readonly Memory[]): readonly EventDetail[] {
  if (overdue.length === 0) return [];
  const memoryIds = overdue.map(({ memoryId }) => memoryId);
  return [{ type: EVENT_TYPE.memoriesDeleted, memoryIds, reason: "retention" }];
}
