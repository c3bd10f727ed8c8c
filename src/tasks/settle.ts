// What completing and failing a task share: finding the task and its lease, counting texts by the
// policy of the session, and saving what came of it in one change of the session.

import { leaseLost, taskNotFound } from "../../domain/errors.ts";
import type { EventDetail } from "../../domain/event.ts";
import { makeInsertId } from "../../domain/ids.ts";
import type { Session } from "../../domain/session.ts";
import { TRUST, type Trust } from "../../domain/summaries/summary.ts";
import { hourOf, settled } from "../../domain/tasks/budget.ts";
import { type Task, type TaskLease, taskNoOf } from "../../domain/tasks/task.ts";
import {
  type CountedRule,
  countedRule,
  countPlainText,
  isExact,
} from "../../domain/token-rules.ts";
import type { SessionDecision, SessionPlan, SessionView, TaskPlan } from "../../storage/store.ts";
import type { Call } from "../api.ts";
import { changeSession, replayOf, replyPart } from "../change.ts";
import type { ServiceContext } from "../context.ts";
import { newEvents } from "../new-events.ts";
import type { LeaseRef } from "../tasks-api.ts";

const RANDOM_BYTES = 10;
const PAGE = 500;

/** What stays the same however often the end of an attempt is decided. */
export interface Settling {
  readonly context: ServiceContext;
  readonly call: Call;
  readonly nowMs: number;
  /** The id of the summary, should it be placed. */
  readonly messageId: string;
  /** The lowest trust of messages that have left the window already. */
  readonly goneTrust: Trust;
  /** What a text of the server's own costs, by the policy of a session; with a speaker's name. */
  readonly countText: (text: string, session: Session, name?: string) => number;
}

/** A task in the hands of whoever ends the attempt. */
export type HeldTask = Task & { readonly lease: TaskLease };

/** What a decision gets to see. */
export interface HeldView {
  readonly view: SessionView;
  readonly session: Session;
  readonly task: HeldTask;
}

/** Thrown inside a decision for a text that only the tokenizer counts. */
class Uncounted extends Error {
  override readonly name = "Uncounted";
  readonly text: string;
  readonly rule: CountedRule;

  constructor(text: string, rule: CountedRule) {
    super("A text is not counted yet.");
    this.text = text;
    this.rule = rule;
  }
}

/** What was decided, or the answer that was given to the request id before. */
export type Settled<T> =
  | { readonly kind: "decided"; readonly result: T }
  | { readonly kind: "replayed"; readonly bytes: Uint8Array };

/**
 * Decides what the end of an attempt does to a session, while somebody holds the task. Throws
 * TASK_NOT_FOUND when the task or its session is gone, LEASE_LOST when another holds it.
 */
export async function settle<T>(
  context: ServiceContext,
  call: Call,
  held: { readonly ref: LeaseRef; readonly allowWhenFull: boolean; readonly needWindow: boolean },
  decide: (settling: Settling, held: HeldView) => SessionDecision<T>,
): Promise<Settled<T>> {
  const { ref, allowWhenFull } = held;
  const { namespace, taskId } = ref;
  const taskNo = taskNoOf(taskId) ?? 0;
  const known = await context.store.readTask(namespace, taskNo);
  if (known === undefined) return await answerMissing<T>(context, call, ref, taskNo);
  const isGone = known.summarize.spec.leave === "at-once";
  const counts = new Map<string, number>();
  const settling: Settling = {
    context,
    call,
    nowMs: context.world.nowMs(),
    messageId: makeInsertId("summary", context.world.random(RANDOM_BYTES)),
    goneTrust: isGone ? await trustOf(context, known) : TRUST.high,
    countText: (text, { fields }, name) => {
      const rule = countedRule(fields.policy);
      // A tokenizer counts texts, never names.
      return isExact(rule.rule) ? exactCount(counts, text, rule) : countPlainText(text, rule, name);
    },
  };
  const { sessionId } = known;
  const { needWindow } = held;
  const target = { namespace, sessionId, needWindow, allowWhenFull };
  for (;;) {
    try {
      const given = await changeSession<Settled<T>>(context, call, target, (view) =>
        asDecided(decide(settling, heldView(view, ref, taskNo))),
      );
      return given instanceof Uint8Array ? { kind: "replayed", bytes: given } : given;
    } catch (error) {
      if (!(error instanceof Uncounted)) throw error;
      const { text, rule } = error;
      counts.set(countKey(text, rule), await context.tokens.countText(text, rule));
    }
  }
}

function asDecided<T>(decision: SessionDecision<T>): SessionDecision<Settled<T>> {
  if (decision.kind === "need-window" || decision.kind === "need-messages") return decision;
  return { ...decision, result: { kind: "decided", result: decision.result } };
}

/** A repeat of a call finds no task any more, but the answer that was given to it. */
async function answerMissing<T>(
  context: ServiceContext,
  call: Call,
  { namespace, taskId }: LeaseRef,
  taskNo: number,
): Promise<Settled<T>> {
  const { requestId } = call;
  if (requestId === "") throw taskNotFound(taskId);
  const hour = hourOf(context.world.nowMs());
  const change = { namespace, taskNo, hour, requestId, allowWhenFull: true };
  return await context.store.changeTask<Settled<T>>(change, (view) => {
    const bytes = replayOf(context, call, view.reply);
    if (bytes === undefined) throw taskNotFound(taskId);
    return { kind: "answer", result: { kind: "replayed", bytes } };
  });
}

function heldView(view: SessionView, ref: LeaseRef, taskNo: number): HeldView {
  const { session } = view;
  const task = session && view.tasks().find((one) => one.taskNo === taskNo);
  if (session === undefined || task === undefined) throw taskNotFound(ref.taskId);
  const { lease, state } = task;
  if (state !== "leased" || lease === undefined || lease.token !== ref.leaseToken) {
    throw leaseLost(ref.taskId);
  }
  return { view, session, task: { ...task, lease } };
}

function countKey(text: string, { rule }: CountedRule): string {
  return `${rule} ${text}`;
}

function exactCount(counts: ReadonlyMap<string, number>, text: string, rule: CountedRule): number {
  const count = counts.get(countKey(text, rule));
  if (count === undefined) throw new Uncounted(text, rule);
  return count;
}

/** The lowest trust of the messages of the log that a task was made from. */
async function trustOf(context: ServiceContext, task: Task): Promise<Trust> {
  let trust: Trust = TRUST.high;
  for (const { first, last } of task.summarize.ranges) {
    for (let seq: number | undefined = first; seq !== undefined && seq <= last; ) {
      // Nothing is below low.
      if (trust === TRUST.low) return trust;
      const query = { firstSeq: seq, lastSeq: last, order: "asc", limit: PAGE } as const;
      const page = await context.store.listMessages(task, query);
      for (const { bytes } of page?.messages ?? []) {
        const own = context.codec.readTrust(bytes);
        if (own < trust) trust = own;
      }
      seq = page?.next;
    }
  }
  return trust;
}

/** The part of a plan that settles the budget: what a call took, or that it took nothing. */
export function usagePart(
  { view, task }: HeldView,
  taken: number | "nothing" | "unknown",
): Pick<TaskPlan, "usage"> {
  const { hook, lease } = task;
  if (taken === "unknown" || taken === 0) return {};
  const { hour, reservedTokens } = lease;
  const before = view.usage(hook, hour);
  const usage =
    taken === "nothing"
      ? { ...before, tokens: Math.max(0, before.tokens - reservedTokens) }
      : settled(before, reservedTokens, taken);
  return { usage: { hook, hour, usage } };
}

/** What a decision saves, beside its events and its answer. */
export interface Saving<T> {
  readonly result: T;
  /** The session as it is afterwards. */
  readonly session: Session;
  readonly plan: Omit<SessionPlan, "events" | "reply">;
  readonly details: readonly EventDetail[];
  /** The answer to remember; undefined for a call that is refused. */
  readonly bytes: Uint8Array | undefined;
}

/** The decision that saves what the end of an attempt does. */
export function saved<T>(
  { context, call, nowMs }: Settling,
  { view }: HeldView,
  saving: Saving<T>,
): SessionDecision<T> {
  const { result, session, plan, details, bytes } = saving;
  const origin = { session, revision: view.revision, nowMs, requestId: call.requestId };
  const events = newEvents(context, origin, details);
  const reply = bytes === undefined ? {} : replyPart(call, nowMs, bytes);
  return { kind: "save", result, plan: { ...plan, events, ...reply } };
}
