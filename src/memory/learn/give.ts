// The part of long-term memory in changes of sessions.

import { createHash } from "node:crypto";
import type {
  MemoryPart,
  MemoryParticipant,
  MemorySide,
  ParticipantTools,
  TurnPart,
  WindowBase,
} from "../../core/participants.ts";
import { isInLog } from "../../core/window-view.ts";
import type { EventDetail } from "../../events/rules/event.ts";
import { makeMemoryId } from "../../kit/ids.ts";
import { LIMITS } from "../../kit/limits.ts";
import { type Owner, ownerOf, type Session } from "../../session/rules/session.ts";
import type {
  MemoryJobPlan,
  MemoryPlan,
  SessionView,
  StoredEntry,
  StoredMessage,
} from "../../store/store.ts";
import {
  DEFAULT_PROMOTION,
  type MemoryPolicy,
  type PromotionPolicy,
} from "../../window/policy/memory-policy.ts";
import { rangesOf } from "../../window/rules/ranges.ts";
import type { SeqRange, Trim } from "../../window/rules/types.ts";
import { rememberDetails } from "../change-memories.ts";
import { addToJob, type MemoryJob, type MemoryJobType } from "../rules/job.ts";
import { type MemoryScope, SERVER_WRITER } from "../rules/memory.ts";
import { planRemember } from "../rules/remember.ts";
import type { NewMemory, RememberPlan, RememberRules, Stamp } from "../rules/rules.ts";
import { promotionScope } from "../rules/scopes.ts";
import { promotionMark } from "../rules/text-key.ts";
import { episodeOf, overdueEpisodes, retentionDetail } from "./episode.ts";
import { unpromotedSession } from "./erase-source.ts";
import {
  type Promotable,
  type Promoted,
  promotableOf,
  promotedMemory,
  RuleScores,
} from "./promotable.ts";

/** The changes of jobs when a session gets another memory policy; undefined for none. */
export function jobsUnder(
  policy: MemoryPolicy | undefined,
  { memoryJobs }: Pick<SessionView, "memoryJobs">,
): MemoryJobPlan | undefined {
  if (policy?.extraction !== undefined) return undefined;
  const isAsked = memoryJobs().some(({ type }) => type === "extract");
  return isAsked ? { put: [{ type: "extract", job: undefined }] } : undefined;
}

/** Ends all jobs on a reset: their messages are gone. Undefined for no jobs. */
export function jobsAfterReset({
  memoryJobs,
}: Pick<SessionView, "memoryJobs">): MemoryJobPlan | undefined {
  const jobs = memoryJobs();
  if (jobs.length === 0) return undefined;
  return { put: jobs.map(({ type }) => ({ type, job: undefined })) };
}

/** Joins two plans, which have no job in common. */
export function mergeJobPlans(
  a: MemoryJobPlan | undefined,
  b: MemoryJobPlan | undefined,
): MemoryJobPlan | undefined {
  return a === undefined || b === undefined ? (a ?? b) : { put: [...a.put, ...b.put] };
}

/** Messages that wait for hooks after a change. */
interface JobWork {
  readonly policy: MemoryPolicy;
  readonly owner: Owner;
  readonly stamp: { readonly revision: number; readonly nowMs: number };
  readonly score: readonly SeqRange[];
  readonly extract: { readonly ranges: readonly SeqRange[]; readonly isHeld: boolean };
  /** The turn has ended: messages that waited for that are due. */
  readonly isTurnEnd: boolean;
}

/** The changes of the jobs; undefined for none. Reads the jobs only when needed. */
function planJobs(
  { memoryJobs }: Pick<SessionView, "memoryJobs">,
  { policy, owner, stamp, score, extract, isTurnEnd }: JobWork,
): MemoryJobPlan | undefined {
  const put: { type: MemoryJobType; job: MemoryJob | undefined }[] = [];
  const add = (type: MemoryJobType, ranges: readonly SeqRange[], isHeld: boolean): void => {
    const before = memoryJobs().find((job) => job.type === type);
    const job = addToJob(before, { type, policy, owner, ranges, isHeld, ...stamp });
    if (job !== undefined) put.push({ type, job });
  };
  if (score.length > 0) add("score", score, false);
  const { ranges, isHeld } = extract;
  if (policy.extraction !== undefined && (ranges.length > 0 || isTurnEnd)) {
    add("extract", ranges, isHeld);
  }
  return put.length === 0 ? undefined : { put };
}

// Memories that come of a session change, in its transaction: messages that leave the window are
// promoted, a turn becomes an episode, and work for hooks becomes a job. Pure: decides from its
// arguments alone, and may be called again for the same change.

/** A message of the log that leaves the window. */
interface LeftMessage {
  readonly message: StoredMessage;
  /** It is erased from the log as well: no job will find it. */
  readonly isErased: boolean;
  /** A stage that promotes removed it. */
  readonly isMarked: boolean;
}

/** A change that long-term memory may learn from. */
interface Giving {
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

/** The tools of a decision. */
type MemoryTools = Pick<ParticipantTools, "store" | "codec">;

const NOTHING: MemoryPart = {
  plan: {},
  events: [],
  episodeId: "",
  promotedIds: [],
  evictedIds: [],
};

const DEDUPE = { mode: "same-text", threshold: 1, window: 1, keepUnchanged: false } as const;
const CONFLICT = { mode: "keep-both", singleObject: false } as const;

/** Decides what long-term memory learns from a change. */
export function giveToMemory(context: MemoryTools, giving: Giving): MemoryPart {
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

/** Scope of the memories of a session. */
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

/** The promotions among messages that leave, each text once. */
function promotedNow(
  context: MemoryTools,
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
    // Most messages score below the threshold: only the rest needs a lookup.
    if (one === undefined || one.score.score < importanceThreshold) continue;
    if (!wasPromoted(one.promotable)) promoted.push(one);
  }
  return { promoted: uniqueTexts(promoted), later };
}

/** Drops repeats: different messages may have the same important part. */
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
    owner: ownerOf(giving.session),
    stamp,
    score: rangesOf(later.map(({ message }) => message)),
    extract:
      extraction?.on === "trim"
        ? { ranges: rangesOf(kept), isHeld: false }
        : { ranges: rangesOf(onTurn?.appended ?? []), isHeld: onTurn?.isEnd !== true },
    isTurnEnd: onTurn?.isEnd === true,
  };
}

/** Ids that stay the same when a change is decided again. */
export function stampOf(
  { store }: Pick<MemoryTools, "store">,
  { revision, nowMs }: Giving["stamp"],
): Stamp {
  const newId = (index: number): string => {
    const name = `${store.historyId} ${revision} ${index}`;
    return makeMemoryId(nowMs, createHash("sha256").update(name).digest());
  };
  return { revision, nowMs, writer: SERVER_WRITER, reason: "", newId };
}

function remember(
  context: MemoryTools,
  giving: Giving,
  what: {
    readonly scope: MemoryScope;
    readonly news: readonly NewMemory[];
    readonly episode: NewMemory | undefined;
    readonly keys: readonly string[];
  },
): MemoryPart {
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
    // A memory that was made and evicted at once never existed.
    evictedIds: [
      ...plan.evictedIds.filter((id) => removed.has(id)),
      ...overdue.map(({ memoryId }) => memoryId),
    ],
  };
}

/** The events: the episode came of the turn, everything else of promotion. */
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

/** The memories that come of a window change; undefined for none. */
export function givenByChange(
  context: MemoryTools,
  change: Pick<WindowBase, "session" | "stamp" | "memory">,
  trims: readonly Trim<StoredEntry>[],
): MemoryPart | undefined {
  const { session, stamp, memory } = change;
  const policy = session.fields.memoryPolicy;
  if (memory === undefined || policy === undefined) return undefined;
  const { side, turn } = memory;
  const promoting = session.fields.policy.stages.filter(({ removedTo }) => removedTo === "promote");
  const marked = new Set(promoting.map(({ name }) => name));
  const left = leftMessages(trims, marked);
  if (left.length === 0 && turn === undefined) return undefined;
  const part = turn === undefined ? {} : { turn };
  return giveToMemory(context, { session, policy, stamp, side, left, ...part });
}

/** The messages of the log that trims take out, by rising seq; `marked` are stages that promote. */
function leftMessages(
  trims: readonly Trim<StoredEntry>[],
  marked: ReadonlySet<string>,
): readonly LeftMessage[] {
  const left = new Map<number, LeftMessage>();
  for (const { stage, removed, discarded } of trims) {
    for (const message of removed.filter(isInLog)) {
      const before = left.get(message.seq);
      left.set(message.seq, {
        message,
        isErased: discarded || before?.isErased === true,
        isMarked: marked.has(stage) || before?.isMarked === true,
      });
    }
  }
  return [...left.values()].sort((a, b) => a.message.seq - b.message.seq);
}

/** Long-term memory, as it takes part in changes of sessions. */
export const memoryParticipant: MemoryParticipant = {
  windowChanged: (tools, { base, trims }) => givenByChange(tools, base, trims),
  sessionEmptied: unpromotedSession,
};
