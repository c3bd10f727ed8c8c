// Applies a result: it is checked, and takes effect in one transaction if its inputs are unchanged.
// It thus takes effect at most once and never overwrites newer content.

import { replayOf, replyPart, saved } from "../../core/change.ts";
import type { ServiceContext } from "../../core/context.ts";
import type { SupersedeReason } from "../../events/rules/event.ts";
import type { Call } from "../../kit/call.ts";
import { leaseLost, type TaskFailureReason } from "../../kit/errors.ts";
import { failpoint } from "../../kit/failpoint.ts";
import { chance } from "../../kit/world.ts";
import type { SessionDecision } from "../../store/store.ts";
import { applyOutput, placedCost } from "../../summary/effect.ts";
import { beginningThatFits } from "../../summary/rules/sentence-cuts.ts";
import type { SummaryOutput } from "../../summary/rules/summary.ts";
import { nextPart, staleness, superseded } from "../../summary/supersede.ts";
import type { CompleteTaskInput, LeaseRef } from "../api.ts";
import { settled as settledUsage } from "../rules/budget.ts";
import { hasCounts, outputFault, textTokensMax } from "../rules/check-output.ts";
import { released } from "../rules/lifecycle.ts";
import { taskIdOf } from "../rules/task.ts";
import { type HeldView, type Settling, settle, usagePart } from "../settle.ts";
import type { TakenTask } from "../take-task.ts";
import { failOutcome } from "./fail-task.ts";

/** Outcome of a result. */
export type CompleteResult =
  | {
      readonly kind: "done";
      readonly revision: number;
      readonly summaryVersion: number;
      /** The answer from `encode`. */
      readonly bytes: Uint8Array | undefined;
    }
  /** A chain of density wants another call; the revision is the session's last one. */
  | {
      readonly kind: "continues";
      readonly revision: number;
      readonly bytes: Uint8Array | undefined;
    }
  /** The result came too late: its inputs have changed. */
  | { readonly kind: "superseded"; readonly reason: SupersedeReason }
  /** The result is refused and counts as a failed attempt. */
  | {
      readonly kind: "failed";
      readonly reason: TaskFailureReason;
      readonly message: string;
      readonly state: "ready" | "dead";
    }
  /** The call is a repeat and gets the first call's answer. */
  | { readonly kind: "replayed"; readonly bytes: Uint8Array };

/** Makes the answer of a call that completed a task. */
type EncodeComplete = CompleteTaskInput["encode"];

/** A chain of density that is not at its end. */
interface GoingOn {
  readonly kind: "going-on";
  readonly task: TakenTask;
  readonly revision: number;
  /** The draft for the next call. */
  readonly output: SummaryOutput;
}

/**
 * Applies the result of a task. Throws TASK_NOT_FOUND when the task or its session is gone, and
 * LEASE_LOST when another has it. The returned outcome reports a stale or refused result.
 */
export async function applyResult(
  context: ServiceContext,
  call: Call,
  { encode, ...ref }: LeaseRef & { readonly encode?: EncodeComplete },
  output: SummaryOutput,
): Promise<CompleteResult> {
  failpoint("after-hook");
  const random = chance(context.world);
  const target = { ref, allowWhenFull: false };
  const settled = await settle<CompleteResult | GoingOn>(context, call, target, (settling, held) =>
    decideComplete(settling, held, { output, encode, random }),
  );
  if (settled.kind === "replayed") return settled;
  const { result } = settled;
  return result.kind === "going-on" ? await goOn(context, call, result, encode) : result;
}

interface Completing {
  readonly output: SummaryOutput;
  readonly encode: EncodeComplete | undefined;
  readonly random: number;
}

function decideComplete(
  settling: Settling,
  held: HeldView,
  completing: Completing,
): SessionDecision<CompleteResult | GoingOn> {
  const { session, task, view } = held;
  const { encode } = completing;
  const output = shortened(settling, held, completing.output);
  const taken = hasCounts(output) ? output.inputTokens + output.outputTokens : "unknown";
  const usage = usagePart(held, taken);
  const stale = staleness(settling, held);
  if (stale !== undefined) {
    const result = { kind: "superseded", reason: stale } as const;
    const outcome = superseded(settling, held, stale, usage);
    return saved<CompleteResult>(settling, held.view, { ...outcome, result, bytes: undefined });
  }
  const fault = faultOf(settling, held, output);
  if (fault !== undefined) return refuse(settling, held, completing, fault);
  const { spec, loop } = task.summarize;
  const isOpen = output.missingEntities.length > 0 && loop < spec.maxLoops;
  if (spec.flow === "density" && isOpen) {
    const { revision } = session.head;
    return { kind: "answer", result: { kind: "going-on", task, revision, output } };
  }
  const taskPlan = { remove: [task.taskNo], put: nextPart(held, settling.nowMs), ...usage };
  const effect = applyOutput(settling, held, { output, isPlaceholder: false }, taskPlan);
  if (effect === "no-place") return refuse(settling, held, completing, "refused");
  if (effect === "too-long") return refuse(settling, held, completing, "output-too-long");
  const { revision } = view;
  const { version: summaryVersion } = effect;
  const bytes = encode?.({ revision, summaryVersion, continues: false });
  return saved<CompleteResult>(settling, held.view, {
    result: { kind: "done", revision, summaryVersion, bytes },
    session: effect.session,
    plan: effect.plan,
    details: [...effect.own, ...effect.next],
    bytes,
  });
}

/** The output with its text cut at the end of a sentence where it is longer than it may be. */
function shortened(
  { countText }: Settling,
  { session, task }: HeldView,
  output: SummaryOutput,
): SummaryOutput {
  const { spec } = task.summarize;
  // The form is checked before tokens are counted: a malformed output may be anything.
  if (outputFault(output, { spec, tokenCount: 0 }) !== undefined) return output;
  const tokensMax = textTokensMax(spec);
  const text = beginningThatFits(output.text, (part) => countText(part, session) <= tokensMax);
  return text === undefined ? output : { ...output, text };
}

function faultOf(
  settling: Settling,
  held: HeldView,
  output: SummaryOutput,
): TaskFailureReason | undefined {
  const { spec } = held.task.summarize;
  const form = outputFault(output, { spec, tokenCount: 0 });
  if (form !== undefined) return form;
  const tokenCount = settling.countText(output.text, held.session);
  const cost = placedCost(settling, held, output);
  return outputFault(output, { spec, tokenCount, ...(cost === undefined ? {} : { cost }) });
}

const REFUSALS: { readonly [reason in TaskFailureReason]?: string } = {
  "empty-output": "The text is empty.",
  "output-too-long": "The text is too long, or it would save nothing.",
  "invalid-output": "The output does not have the requested form.",
  refused: "The session has reached its limit of placed summaries.",
};

/** The attempt failed because of its result. */
function refuse(
  settling: Settling,
  held: HeldView,
  { output, random }: Completing,
  reason: TaskFailureReason,
): SessionDecision<CompleteResult> {
  const message = REFUSALS[reason] ?? "The output is refused.";
  const { inputTokens, outputTokens } = output;
  const outcome = failOutcome(settling, held, {
    ...{ reason, message, random, counts: true, permanent: false },
    // Invalid counts are part of the fault.
    ...(hasCounts(output) ? { taken: { inputTokens, outputTokens } } : {}),
  });
  const result = { kind: "failed", reason, message, state: outcome.state } as const;
  return saved<CompleteResult>(settling, held.view, { ...outcome, result, bytes: undefined });
}

/** The task is ready for the next call of its chain. Only the task changes. */
async function goOn(
  context: ServiceContext,
  call: Call,
  { task: known, revision, output }: GoingOn,
  encode: Completing["encode"],
): Promise<CompleteResult> {
  const { namespace, taskNo, lease } = known;
  const nowMs = context.world.nowMs();
  const change = { namespace, taskNo, hour: lease.hour, requestId: call.requestId };
  return await context.store.changeTask<CompleteResult>(change, (view) => {
    const replay = replayOf(context, call, view.reply);
    if (replay !== undefined) {
      return { kind: "answer", result: { kind: "replayed", bytes: replay } };
    }
    const { task } = view;
    if (task?.lease?.token !== lease.token || task.generation !== known.generation) {
      throw leaseLost(taskIdOf(taskNo));
    }
    const { summarize } = task;
    const bytes = encode?.({ revision, summaryVersion: 0, continues: true });
    const draft = { ...output, inputTokens: 0, outputTokens: 0 };
    const next = {
      ...summarize,
      loop: summarize.loop + 1,
      draft,
      draftPrior: lease.priorVersion,
      inputTokens: summarize.inputTokens + output.inputTokens,
      outputTokens: summarize.outputTokens + output.outputTokens,
    };
    const taken = output.inputTokens + output.outputTokens;
    return {
      kind: "save",
      result: { kind: "continues", revision, bytes },
      task: { ...released(task, nowMs), summarize: next },
      usage: settledUsage(view.usage, lease.reservedTokens, taken),
      ...(bytes === undefined ? {} : replyPart(call, nowMs, bytes)),
    };
  });
}
