// What hooks and rules do for jobs on memories: each asks outside of a change, and gives a decision
// that runs inside of one.

import { AppError } from "../../domain/errors.ts";
import type { EventDetail } from "../../domain/event.ts";
import type { MemoryJob } from "../../domain/memories/job.ts";
import { BUILTIN_EXTRACTOR, type ExtractionPolicy } from "../../domain/memories/policy.ts";
import { planRemember } from "../../domain/memories/remember.ts";
import type { Session } from "../../domain/session.ts";
import type { SessionPlan, SessionView, StoredMessage } from "../../storage/store.ts";
import type { ServiceContext } from "../context.ts";
import { HookFailure } from "../hook-port.ts";
import type { HookStates } from "../tasks/hook-state.ts";
import {
  extractBatch,
  extractionRules,
  extractorOf,
  newMemoriesOf,
  withoutForgotten,
} from "./extract.ts";
import { giveToMemory, scopeOf, stampOf } from "./give.ts";
import { promotableOf } from "./promotable.ts";
import { rememberDetails } from "./remember-events.ts";
import type { Scorers } from "./scorers.ts";

/** What a job gives to long-term memory. */
export interface JobGiven {
  readonly plan: Pick<SessionPlan, "memories">;
  readonly events: readonly EventDetail[];
  readonly createdCount: number;
  readonly rejectedCount: number;
}

/** Where a decision stands. */
export interface JobAt {
  readonly view: SessionView;
  readonly stamp: { readonly revision: number; readonly nowMs: number };
}

/** Decides inside a change. Pure, and may be called again. */
export type JobDecision = (session: Session, at: JobAt) => JobGiven;

/** A batch that a hook is asked about. */
export interface JobAsk {
  readonly session: Session;
  readonly job: MemoryJob;
  readonly messages: readonly StoredMessage[];
  readonly signal: AbortSignal;
}

/** A hook that is gone is one that failed. */
function asFailure(error: unknown): never {
  if (error instanceof AppError && error.reason === "HOOK_NOT_CONFIGURED") {
    throw new HookFailure("no-hook", "The server has no hook of this name that finds facts.");
  }
  throw error;
}

const NOTHING: JobGiven = { plan: {}, events: [], createdCount: 0, rejectedCount: 0 };

/** Asks the hooks of jobs. */
export class JobHooks {
  readonly #context: ServiceContext;
  readonly #scorers: Scorers;
  readonly #states: HookStates;

  constructor(context: ServiceContext, scorers: Scorers, states: HookStates) {
    this.#context = context;
    this.#scorers = scorers;
    this.#states = states;
  }

  /** Asks the hook of a job. Throws HookFailure. */
  async ask({ session, job, messages, signal }: JobAsk): Promise<JobDecision> {
    if (messages.length === 0) return () => NOTHING;
    const { namespace } = session;
    const { policy } = job;
    if (job.type === "extract") {
      const { extraction } = policy;
      if (extraction === undefined) return () => NOTHING;
      return await this.#extract({ session, job, messages, signal }, extraction);
    }
    const { promotion } = policy;
    if (promotion === undefined) return () => NOTHING;
    const { selection, scoreHook } = promotion;
    const texts = messages.map((one) => promotableOf(this.#context, one, selection)?.text ?? "");
    const call = { namespace, signal, sessionId: session.sessionId };
    const scores = await this.#scorers.score(scoreHook, call, texts);
    const byId = new Map(messages.map(({ messageId }, index) => [messageId, scores[index] ?? 0]));
    return this.#scored(job, messages, byId);
  }

  /** What the rules do when a hook does not, of messages that they have not looked at. */
  async byRules(asked: JobAsk): Promise<JobDecision> {
    const { job, messages } = asked;
    const { extraction } = job.policy;
    if (job.type === "score") return this.#scored(job, messages, new Map());
    if (extraction === undefined) return () => NOTHING;
    const open = messages.filter(({ seq }) => seq > (job.ruledSeq ?? 0));
    const byRules = { ...extraction, hook: BUILTIN_EXTRACTOR };
    return await this.#extract({ ...asked, messages: open }, byRules);
  }

  async #extract(
    { session, job, messages, signal }: JobAsk,
    extraction: ExtractionPolicy,
  ): Promise<JobDecision> {
    const policy = { ...job.policy, extraction };
    const { namespace, sessionId } = session;
    const scope = scopeOf(session, policy);
    const parts = { context: this.#context, states: this.#states };
    const batch = { namespace, sessionId, messages, text: "", scope, policy: extraction, signal };
    const found = await extractBatch(parts, batch).catch(asFailure);
    const messageIds = messages.map(({ messageId }) => messageId);
    const hook = extractorOf(extraction);
    return (now, { view, stamp }) => {
      const from = { scope: scopeOf(now, policy), sessionId, messageIds, hook };
      const news = withoutForgotten(newMemoriesOf(found, from), found, view.memories);
      const rules = extractionRules(policy);
      const plan = planRemember(view.memories, news, rules, stampOf(this.#context, stamp));
      const { put, remove, createdIds } = plan;
      const { rejectedCount } = found;
      if (put.length === 0 && remove.length === 0) return { ...NOTHING, rejectedCount };
      const details = rememberDetails(plan, view.memories, "extraction");
      return {
        plan: { memories: { put, remove } },
        events: details.map(({ detail }) => detail),
        createdCount: createdIds.length,
        rejectedCount,
      };
    };
  }

  #scored(
    { policy: asked }: MemoryJob,
    messages: readonly StoredMessage[],
    scores: ReadonlyMap<string, number>,
  ): JobDecision {
    const left = messages.map((message) => ({
      ...{ message, isErased: false, isMarked: true },
    }));
    const policy = { ...asked, extraction: undefined };
    return (session, { view, stamp }) => {
      const given = giveToMemory(this.#context, {
        ...{ session, policy, stamp, left, scores },
        side: view,
      });
      const { plan, events, promotedIds } = given;
      const part = plan.memories === undefined ? {} : { memories: plan.memories };
      return { plan: part, events, createdCount: promotedIds.length, rejectedCount: 0 };
    };
  }
}
