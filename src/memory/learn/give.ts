// What a change of a session gives to long-term memory, in the transaction of the change: messages
// that leave the window are promoted, a turn becomes an episode, and what needs a hook is asked for
// as a job. Pure: decides from what it is given, and may be called again for the same change.

import { createHash } from "node:crypto";
import type { EventDetail } from "../../domain/event.ts";
import { makeMemoryId } from "../../domain/ids.ts";
import { LIMITS } from "../../domain/limits.ts";
import { type MemoryScope, SERVER_WRITER } from "../../domain/memories/memory.ts";
import {
  DEFAULT_PROMOTION,
  type MemoryPolicy,
  type PromotionPolicy,
} from "../../domain/memories/policy.ts";
import { planRemember } from "../../domain/memories/remember.ts";
import type { NewMemory, RememberPlan, RememberRules, Stamp } from "../../domain/memories/rules.ts";
import { promotionScope } from "../../domain/memories/scopes.ts";
import { promotionMark } from "../../domain/memories/text-key.ts";
import type { Session } from "../../domain/session.ts";
import { rangesOf } from "../../domain/window/ranges.ts";
import type { MemoryPlan, SessionPlan, SessionView, StoredMessage } from "../../storage/store.ts";
import type { ServiceContext } from "../context.ts";
import { type EpisodeInput, episodeOf, overdueEpisodes, retentionDetail } from "./episode.ts";
import { type JobWork, planJobs } from "./plan-jobs.ts";
import {
  type Promotable,
  type Promoted,
  promotableOf,
  promotedMemory,
  RuleScores,
} from "./promotable.ts";
import { rememberDetails } from "./remember-events.ts";

/** What is read of memories inside a decision. */
export type MemorySide = Pick<SessionView, "memories" | "memoryJobs">;

/** A message of the log that leaves the window. */
export interface LeftMessage {
  readonly message: StoredMessage;
  /** It is erased from the log as well: no job will find it. */
  readonly isErased: boolean;
  /** A stage that promotes removed it. */
  readonly isMarked: boolean;
}

/** What an append or a turn adds to what trims give. */
export interface TurnPart {
  /** What was appended, by rising seq. */
  readonly appended: readonly StoredMessage[];
  readonly isEnd: boolean;
  /** Undefined when the turn makes no episode, or does not end. */
  readonly episode: EpisodeInput | undefined;
}

/** A change that gives something to long-term memory. */
export interface Giving {
  /** As the change leaves it. */
  readonly session: Session;
  readonly policy: MemoryPolicy;
  readonly stamp: { readonly revision: number; readonly nowMs: number };
  readonly side: MemorySide;
  /** By rising seq. */
  readonly left: readonly LeftMessage[];
  readonly turn?: TurnPart;
  /** Scores that a hook gave, by message id. Default: the rules score, or a job is made. */
  readonly scores?: ReadonlyMap<string, number>;
}

/** What a change gives. */
export interface Given {
  readonly plan: Pick<SessionPlan, "memories" | "memoryJobs">;
  /** Stand behind those of the change. */
  readonly events: readonly EventDetail[];
  /** Empty when no episode was made. */
  readonly episodeId: string;
  readonly promotedIds: readonly string[];
  readonly evictedIds: readonly string[];
}

const NOTHING: Given = { plan: {}, events: [], episodeId: "", promotedIds: [], evictedIds: [] };

const DEDUPE = { mode: "same-text", threshold: 1, window: 1, keepUnchanged: false } as const;
const CONFLICT = { mode: "keep-both", singleObject: false } as const;

/** Decides what a change gives to long-term memory. */
export function giveToMemory(context: ServiceContext, giving: Giving): Given {
  const { session, policy, side } = giving;
  const scope = scopeOf(session, policy);
  const { promoted, later } =
    policy.promotion === undefined
      ? NONE_PROMOTED
      : promotedNow(context, giving, { scope, policy: policy.promotion });
  const jobs = planJobs(side, jobWork(giving, later));
  const episode = episodeNow(giving, scope);
  const { selection } = policy.promotion ?? DEFAULT_PROMOTION;
  const news = promoted.map((one) =>
    promotedMemory(context, session, { ...one, selection, scope }),
  );
  if (news.length === 0 && episode === undefined) {
    return jobs === undefined ? NOTHING : { ...NOTHING, plan: { memoryJobs: jobs } };
  }
  const keys = promoted.map(({ promotable }) => promotable.key);
  const remembered = remember(context, giving, { scope, news, episode, keys });
  return jobs === undefined
    ? remembered
    : { ...remembered, plan: { ...remembered.plan, memoryJobs: jobs } };
}

/** Whom the memories of a session belong to. */
export function scopeOf(session: Session, policy: MemoryPolicy): MemoryScope {
  const { userId, agentId } = session.fields;
  return promotionScope({ userId, agentId, sessionId: session.sessionId }, policy);
}

interface Promotion {
  readonly promoted: readonly Promoted[];
  /** For the hook that scores. */
  readonly later: readonly Promotable[];
}

const NONE_PROMOTED: Promotion = { promoted: [], later: [] };

/** What of the messages that leave is promoted, each text once. */
function promotedNow(
  context: ServiceContext,
  { left, side, scores }: Giving,
  { scope, policy }: { readonly scope: MemoryScope; readonly policy: PromotionPolicy },
): Promotion {
  const { importanceThreshold, markedStagesOnly, scoreHook, selection } = policy;
  const rules = new RuleScores(policy);
  const promoted: Promoted[] = [];
  const later: Promotable[] = [];
  const seen = new Set<string>();
  for (const { message, isErased, isMarked } of left) {
    if (markedStagesOnly && !isMarked) continue;
    const promotable = promotableOf(context, message, selection);
    if (promotable === undefined || seen.has(promotable.key)) continue;
    seen.add(promotable.key);
    const wasPromoted = ({ key }: Promotable) => side.memories.wasPromoted(scope, key);
    if (scoreHook !== "" && !isErased && scores === undefined) {
      if (!wasPromoted(promotable)) later.push(promotable);
      continue;
    }
    const given = scores?.get(message.messageId);
    const one =
      given === undefined
        ? rules.promoted(promotable)
        : { promotable, score: { ...rules.of(promotable.text), score: given }, hook: scoreHook };
    // What scores below the threshold is the most of it: memories are only asked about the rest.
    if (one === undefined || one.score.score < importanceThreshold) continue;
    if (!wasPromoted(one.promotable)) promoted.push(one);
  }
  return { promoted: uniqueTexts(promoted), later };
}

/** Different messages may come to the same important part. */
function uniqueTexts(promoted: readonly Promoted[]): readonly Promoted[] {
  return [
    ...new Map(promoted.toReversed().map((one) => [one.promotable.key, one])).values(),
  ].reverse();
}

function episodeNow({ session, policy, turn, stamp }: Giving, scope: MemoryScope) {
  if (turn?.episode === undefined || policy.episodes === undefined) return undefined;
  const { retentionDays } = policy.episodes;
  return episodeOf(session, turn.episode, { retentionDays, scope, nowMs: stamp.nowMs });
}

function jobWork(giving: Giving, later: readonly Promotable[]): JobWork {
  const { policy, stamp, left, turn } = giving;
  const { extraction } = policy;
  const onTurn = extraction?.on === "turn-end" ? turn : undefined;
  const kept = left.filter(({ isErased }) => !isErased).map(({ message }) => message);
  return {
    policy,
    stamp,
    score: rangesOf(later.map(({ message }) => message)),
    extract:
      extraction?.on === "trim"
        ? { ranges: rangesOf(kept), isHeld: false }
        : { ranges: rangesOf(onTurn?.appended ?? []), isHeld: onTurn?.isEnd !== true },
    isTurnEnd: onTurn?.isEnd === true,
  };
}

/** Ids that are the same however often a change is decided. */
export function stampOf(
  { store }: Pick<ServiceContext, "store">,
  { revision, nowMs }: Giving["stamp"],
): Stamp {
  const newId = (index: number): string => {
    const name = `${store.historyId} ${revision} ${index}`;
    return makeMemoryId(nowMs, createHash("sha256").update(name).digest());
  };
  return { revision, nowMs, writer: SERVER_WRITER, reason: "", newId };
}

function remember(
  context: ServiceContext,
  giving: Giving,
  what: {
    readonly scope: MemoryScope;
    readonly news: readonly NewMemory[];
    readonly episode: NewMemory | undefined;
    readonly keys: readonly string[];
  },
): Given {
  const { policy, side, stamp, turn } = giving;
  const { scope, news, episode, keys } = what;
  const rules: RememberRules = {
    dedupe: DEDUPE,
    conflict: CONFLICT,
    limits: { "long-term": policy.longTermLimit, episodes: LIMITS.scopeMemories },
  };
  const all = episode === undefined ? news : [...news, episode];
  const plan = planRemember(side.memories, all, rules, stampOf(context, stamp));
  const past =
    turn?.episode === undefined || policy.episodes === undefined
      ? []
      : overdueEpisodes(side.memories, scope, { ...policy.episodes, nowMs: stamp.nowMs });
  const removed = new Set(plan.remove);
  const overdue = past.filter(({ memoryId }) => !removed.has(memoryId));
  const memories: MemoryPlan = {
    put: plan.put,
    remove: [...plan.remove, ...overdue.map(({ memoryId }) => memoryId)],
    promoted: keys.map((key, index) => {
      const memoryId = plan.results[index]?.memory?.memoryId ?? "";
      const { sessionId } = giving.session;
      return { scope, promotionKey: promotionMark(key, { sessionId, memoryId }) };
    }),
  };
  const episodeId = episode === undefined ? "" : (plan.results.at(-1)?.memory?.memoryId ?? "");
  return {
    plan: { memories },
    events: [...detailsOf(plan, side, episodeId), ...retentionDetail(overdue)],
    episodeId,
    promotedIds: plan.createdIds.filter((id) => id !== episodeId),
    evictedIds: [...plan.evictedIds, ...overdue.map(({ memoryId }) => memoryId)],
  };
}

/** What is told: an episode came of the turn, everything else of promotion. */
function detailsOf(plan: RememberPlan, side: MemorySide, episodeId: string): EventDetail[] {
  const isEpisode = (id: string): boolean => id === episodeId;
  const others = { ...plan, createdIds: plan.createdIds.filter((id) => !isEpisode(id)) };
  const own = {
    ...plan,
    createdIds: plan.createdIds.filter(isEpisode),
    ...{ updatedIds: [], reinforcedIds: [], evictedIds: [], remove: [] },
  };
  return [
    ...rememberDetails(others, side.memories, "promotion"),
    ...rememberDetails(own, side.memories, "turn"),
  ].map(({ detail }) => detail);
}
