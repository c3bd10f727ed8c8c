// Common steps of completing and failing a task: finding the task and its lease, counting texts by
// the session's policy, and saving the outcome in one change of the session.

import { type Changing, changeSession, DoFirst, replayOf } from "../core/change.ts";
import type { ServiceContext } from "../core/context.ts";
import type { Call } from "../kit/call.ts";
import { leaseLost, taskNotFound } from "../kit/errors.ts";
import { makeInsertId } from "../kit/ids.ts";
import type { Session } from "../session/rules/session.ts";
import type { SessionDecision, SessionView, TaskPlan } from "../store/store.ts";
import { TRUST, type Trust } from "../summary/rules/summary.ts";
import { countedRule, countPlainText, isExact } from "../window/policy/token-rules.ts";
import type { LeaseRef } from "./api.ts";
import { hourOf, settled } from "./rules/budget.ts";
import { type Task, taskNoOf } from "./rules/task.ts";
import type { TakenTask } from "./take-task.ts";

const RANDOM_BYTES = 10;
const PAGE = 500;

/** Inputs that stay the same when the end of an attempt is decided again. */
export interface Settling extends Changing {
  /** Message id of the summary if it is placed. */
  readonly messageId: string;
  /** The lowest trust of messages that have left the window already. */
  readonly goneTrust: Trust;
  /** Tokens of a text that the server writes, by the session's policy; with a speaker's name. */
  readonly countText: (text: string, session: Session, name?: string) => number;
}

/** Inputs of a decision. */
export interface HeldView {
  readonly view: SessionView;
  readonly session: Session;
  readonly task: TakenTask;
}

/** The decision, or the answer given earlier to the same request id. */
export type Settled<T> =
  | { readonly kind: "decided"; readonly result: T }
  | { readonly kind: "replayed"; readonly bytes: Uint8Array };

/**
 * Decides how the end of an attempt changes a session, while the caller holds the task's lease.
 * Throws TASK_NOT_FOUND when the task or its session is gone, LEASE_LOST when another holds it.
 */
export async function settle<T>(
  context: ServiceContext,
  call: Call,
  held: { readonly ref: LeaseRef; readonly allowWhenFull: boolean },
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
      if (!isExact(rule.rule)) return countPlainText(text, rule, name);
      const key = `${rule.rule} ${text}`;
      const count = counts.get(key);
      if (count !== undefined) return count;
      throw new DoFirst(async () => {
        counts.set(key, await context.tokens.countText(text, rule));
      });
    },
  };
  const { sessionId } = known;
  const target = { namespace, sessionId, allowWhenFull };
  const given = await changeSession<Settled<T>>(context, call, target, (view) =>
    asDecided(decide(settling, heldView(view, ref, taskNo))),
  );
  return given instanceof Uint8Array ? { kind: "replayed", bytes: given } : given;
}

function asDecided<T>(decision: SessionDecision<T>): SessionDecision<Settled<T>> {
  return { ...decision, result: { kind: "decided", result: decision.result } };
}

/** Finds the earlier answer for a repeated call whose task is gone. */
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

/** The lowest trust of the messages of the log that a task was made from. */
async function trustOf(context: ServiceContext, task: Task): Promise<Trust> {
  let trust: Trust = TRUST.high;
  for (const { first, last } of task.summarize.ranges) {
    for (let seq: number | undefined = first; seq !== undefined && seq <= last; ) {
      // Low is the lowest trust.
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

/** The part of a plan that settles the budget with a call's tokens, or with none. */
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
