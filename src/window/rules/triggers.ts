// The triggers of stages: which of them hold for a window.

import { once } from "../../kit/once.ts";
import type { Policy, PolicyStage, Trigger, TriggerKind } from "../policy/policy.ts";
import { reachesShare } from "./limit.ts";
import { costAt, isSeen, type Layout, type Look } from "./look.ts";
import type { Signals, Totals, TriggerHit } from "./types.ts";
import { NO_UNIT } from "./units.ts";

/** The order of the public TriggerKind, in which hits are told. */
const ORDER: { readonly [kind in TriggerKind]: number } = {
  "model-input-tokens-over": 1,
  "message-count-over": 2,
  "token-count-over": 3,
  "context-share-at-least": 4,
  "turn-count-over": 5,
  "turn-tokens-over": 6,
  "new-messages-at-least": 7,
  "new-tokens-at-least": 8,
  "tool-success": 9,
  "tool-error": 10,
  "age-over": 11,
  always: 12,
};

/** Input of triggers. */
export interface Question {
  readonly look: Look;
  readonly stage: PolicyStage;
  readonly signals: Signals;
  /** When the newest message was stored. */
  readonly newestMs: () => number;
  /** Whether an entry meets all conditions of `countIf`. */
  readonly counts: (index: number) => boolean;
}

/** Input for judging a trigger before any message is read. */
export interface RoughQuestion {
  readonly policy: Policy;
  readonly stage: PolicyStage;
  readonly signals: Signals;
}

function acted({ signals, stage }: RoughQuestion): number {
  return Math.max(signals.actedSeqs.get(stage.name) ?? 0, signals.resetSeq ?? 0);
}

/** The tools of a trigger that ended as it asks, in the order of the trigger. */
function toolsOf(trigger: Trigger, signals: Signals): readonly string[] {
  if (trigger.kind !== "tool-success" && trigger.kind !== "tool-error") return [];
  const error = trigger.kind === "tool-error";
  return trigger.names.filter((name) =>
    signals.outcomes.some((outcome) => outcome.tool === name && outcome.error === error),
  );
}

/**
 * Whether a trigger can hold for a window of at most this size. False only when it certainly does
 * not; exact for the triggers that look at no message.
 */
export function mayHit(trigger: Trigger, most: Totals, question: RoughQuestion): boolean {
  const { policy, signals } = question;
  const { messageCount, tokenCount } = most;
  switch (trigger.kind) {
    case "message-count-over":
    case "turn-count-over":
      return messageCount > trigger.limit;
    case "token-count-over":
    case "turn-tokens-over":
      return tokenCount > trigger.limit;
    case "context-share-at-least":
      return (
        policy.contextWindow > 0 && reachesShare(tokenCount, trigger.share, policy.contextWindow)
      );
    case "model-input-tokens-over":
      return signals.modelInputTokens > trigger.limit;
    case "new-messages-at-least":
      return signals.lastSeq - acted(question) >= trigger.limit;
    case "new-tokens-at-least":
      return signals.lastSeq > acted(question) && tokenCount >= trigger.limit;
    case "tool-success":
    case "tool-error":
      return toolsOf(trigger, signals).length > 0;
    case "age-over":
      // One message can be old too: the newest of the session may have left before this stage.
      return messageCount > 0;
    case "always":
      return true;
  }
}

/** The part of a window that counts for triggers. */
interface Counted {
  /** By the unit of the stage. */
  readonly window: () => Totals;
  /** By turns; `messageCount` is the number of turns. */
  readonly turns: () => Totals;
  /** Entries that came since the stage last acted and are still there. */
  readonly fresh: () => Totals;
  readonly oldestMs: () => number;
}

/** By entry, 1 when it counts: its whole unit does, or it itself when it is in no unit. */
function countedEntries(question: Question, layout: Layout): Uint8Array {
  const { look, stage, counts } = question;
  const counted = new Uint8Array(look.entries.length);
  const failed = new Uint8Array(layout.count);
  const hasConditions = stage.countIf.length > 0;
  for (let i = 0; i < counted.length; i++) {
    if (!isSeen(look, i) || (hasConditions && !counts(i))) {
      const unit = layout.unitOf[i] ?? NO_UNIT;
      if (unit !== NO_UNIT) failed[unit] = 1;
    } else {
      counted[i] = 1;
    }
  }
  for (let i = 0; i < counted.length; i++) {
    const unit = layout.unitOf[i] ?? NO_UNIT;
    if (unit !== NO_UNIT && failed[unit] === 1) counted[i] = 0;
  }
  return counted;
}

function countedOf(question: Question): Counted {
  const { look, stage, signals } = question;
  const entries = once(() => countedEntries(question, look.layout(stage.unit)));
  const sum = (isIn: (index: number) => boolean): Totals => {
    let messageCount = 0;
    let tokenCount = 0;
    for (let i = 0; i < look.entries.length; i++) {
      if (!isIn(i)) continue;
      messageCount += 1;
      tokenCount += costAt(look, i);
    }
    return { messageCount, tokenCount };
  };
  const since = acted({ policy: look.policy, stage, signals });
  const isNew = (seq: number): boolean => seq > since && Number.isInteger(seq);
  return {
    window: () =>
      stage.countIf.length === 0 ? look.counted() : sum((index) => entries()[index] === 1),
    turns: once(() => {
      const layout = look.layout("turn");
      const counted = countedEntries(question, layout);
      const unitAt = (index: number): number =>
        counted[index] === 0 ? NO_UNIT : (layout.unitOf[index] ?? NO_UNIT);
      // Messages that the server placed, such as a summary, make no turn.
      const real = new Set<number>();
      for (const [index, { seq }] of look.entries.entries()) {
        if (Number.isInteger(seq)) real.add(unitAt(index));
      }
      real.delete(NO_UNIT);
      const { tokenCount } = sum((index) => real.has(unitAt(index)));
      return { messageCount: real.size, tokenCount };
    }),
    fresh: () => sum((index) => entries()[index] === 1 && isNew(look.entries[index]?.seq ?? 0)),
    oldestMs: () =>
      look.entries.reduce(
        (oldest, { createMs }, index) =>
          entries()[index] === 1 ? Math.min(oldest, createMs) : oldest,
        Number.POSITIVE_INFINITY,
      ),
  };
}

/** Whether a trigger without a tool holds, given that it may. */
function holds(trigger: Trigger, counted: Counted, question: Question): boolean {
  const { policy } = question.look;
  switch (trigger.kind) {
    case "message-count-over":
      return counted.window().messageCount > trigger.limit;
    case "token-count-over":
      return counted.window().tokenCount > trigger.limit;
    case "context-share-at-least":
      return reachesShare(counted.window().tokenCount, trigger.share, policy.contextWindow);
    case "turn-count-over":
      return counted.turns().messageCount > trigger.limit;
    case "turn-tokens-over":
      return counted.turns().tokenCount > trigger.limit;
    case "new-messages-at-least":
      // Without conditions those count as well that came and left again.
      return question.stage.countIf.length === 0 || counted.fresh().messageCount >= trigger.limit;
    case "new-tokens-at-least":
      return counted.fresh().tokenCount >= trigger.limit;
    case "age-over":
      return question.newestMs() - counted.oldestMs() > trigger.ms;
    default:
      return true;
  }
}

/** Lists the triggers of a stage that hold, in the order of TriggerKind, each once. */
export function triggerHits(question: Question): TriggerHit[] {
  const { look, stage, signals } = question;
  const rough = { policy: look.policy, stage, signals };
  const may = stage.anyOf.filter((trigger) => mayHit(trigger, look.counted(), rough));
  if (may.length === 0) return [];
  const counted = countedOf(question);
  const hits: TriggerHit[] = [];
  for (const trigger of may) {
    if (!holds(trigger, counted, question)) continue;
    const tools = toolsOf(trigger, signals);
    for (const tool of tools.length > 0 ? tools : [""]) {
      if (hits.some((hit) => hit.kind === trigger.kind && hit.tool === tool)) continue;
      hits.push({ kind: trigger.kind, tool });
    }
  }
  return hits.sort((a, b) => ORDER[a.kind] - ORDER[b.kind]);
}
