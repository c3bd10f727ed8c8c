// Evaluates conditions on the messages of a window. Views are made only for windows that a
// condition looks at, and each condition is asked at most once for each message.

import { once } from "../../kit/once.ts";
import {
  type Condition,
  type ConditionView,
  compileCondition,
  MessageView,
  TurnView,
} from "../conditions/condition.ts";
import type { Policy } from "../policy/policy.ts";
import { CHOSEN, POPPED } from "./boundary.ts";
import { costAt, type Look, lookAt, lookWithout } from "./look.ts";
import {
  type ConditionWarning,
  type DetailOf,
  ROLE_NAMES,
  type Shortened,
  type Signals,
  type StageRun,
  type Totals,
  type Trim,
  type TrimReason,
  type WindowEntry,
  type WindowTotals,
} from "./types.ts";
import { NO_UNIT } from "./units.ts";

/** Answers whether a condition holds for the entry at an index. */
type Judge = (expression: string, index: number) => boolean | "failed";

/** A condition and what it said of each entry so far. */
interface Asked {
  readonly condition: Condition;
  readonly answers: (boolean | "failed" | undefined)[];
}

const NO_TURN = new TurnView(0, 0, 0);

/** Makes the judge of a window. `newestMs` is when the newest message was stored. */
function judgeOf<E extends WindowEntry>(
  look: Look<E>,
  detailOf: DetailOf<E>,
  newestMs: () => number,
): Judge {
  const views: (ConditionView | undefined)[] = [];
  const turns: TurnView[] = [];
  const asked = new Map<string, Asked>();
  const turnOf = (index: number): TurnView => {
    const { unitOf, sizes } = look.layout("turn");
    const unit = unitOf[index] ?? NO_UNIT;
    if (unit === NO_UNIT) return NO_TURN;
    const { tokens, messages } = sizes();
    turns[unit] ??= new TurnView(unit + 1, tokens[unit] ?? 0, messages[unit] ?? 0);
    return turns[unit];
  };
  const viewOf = (index: number, entry: E): ConditionView => {
    const facts = {
      role: ROLE_NAMES[entry.role],
      tool_call_id: entry.answers[0] ?? "",
      tokens: costAt(look, index),
      age_seconds: (newestMs() - entry.createMs) / 1000,
    };
    return { message: new MessageView(facts, () => detailOf(entry)), turn: turnOf(index) };
  };
  return (expression, index) => {
    let known = asked.get(expression);
    if (known === undefined) {
      known = { condition: compileCondition(expression), answers: [] };
      asked.set(expression, known);
    }
    const entry = look.entries[index];
    if (entry === undefined) return false;
    views[index] ??= viewOf(index, entry);
    known.answers[index] ??= known.condition.test(views[index]);
    return known.answers[index];
  };
}

// The state of one evaluation of a policy, and how entries leave it. It is written to by the stages
// one after the other and never outlives the call of trimWindow that made it.

/** A window on its way through the stages. */
export interface Evaluation<E extends WindowEntry> {
  readonly policy: Policy;
  readonly signals: Signals;
  readonly detailOf: DetailOf<E>;
  /** When the newest message of all entries was stored. */
  readonly newestMs: () => number;
  /** Remaining entries. */
  look: Look<E>;
  /** Answers of conditions about the remaining entries. */
  judge: () => Judge;
  /** Remaining entries of the stored window; the very entries of `look` while both are the same. */
  stored: readonly E[];
  /** Totals of `stored`, without any shortening. */
  storedTotals: WindowTotals;
  readonly trims: Trim<E>[];
  readonly storedTrims: Trim<E>[];
  readonly shortened: Map<WindowEntry, Shortened>;
  readonly failures: Map<string, Failure>;
}

/** An expression and the messages it failed on. */
export interface Failure {
  readonly stage: string;
  readonly field: string;
  readonly entries: Set<WindowEntry>;
}

/** Begins with all entries. */
export function beginEvaluation<E extends WindowEntry>(
  given: Pick<Evaluation<E>, "policy" | "signals" | "detailOf">,
  entries: readonly E[],
  totals: WindowTotals,
): Evaluation<E> {
  const { policy, signals, detailOf } = given;
  const newestMs = once(() =>
    entries.reduce((newest, { createMs }) => Math.max(newest, createMs), 0),
  );
  const look = lookAt(entries, policy, totals, { beside: signals.beside });
  return {
    policy,
    signals,
    detailOf,
    newestMs,
    look,
    judge: once(() => judgeOf(look, detailOf, newestMs)),
    stored: entries,
    storedTotals: totals,
    trims: [],
    storedTrims: [],
    shortened: new Map(),
    failures: new Map(),
  };
}

/** Goes on with another window. */
export function lookOn<E extends WindowEntry>(evaluation: Evaluation<E>, look: Look<E>): void {
  evaluation.look = look;
  evaluation.judge = once(() => judgeOf(look, evaluation.detailOf, evaluation.newestMs));
}

/** Stage that removes, its reason, and the entries it looks at. */
export interface Cause {
  readonly stage: string;
  /** Reason for removing the entries marked CHOSEN; those marked POPPED go for the boundary. */
  readonly reason: TrimReason;
  /** They leave the stored window as well. */
  readonly fromStored: boolean;
  readonly discarded: boolean;
}

function marked<E>(entries: readonly E[], drop: Uint8Array, mark: number): E[] {
  return entries.filter((_, index) => drop[index] === mark);
}

/** Takes the marked entries out of the window; tells whether there were any. */
export function removeEntries<E extends WindowEntry>(
  evaluation: Evaluation<E>,
  drop: Uint8Array,
  cause: Cause,
): boolean {
  const { look } = evaluation;
  const after = lookWithout(look, drop);
  if (after === look) return false;
  const chosen = marked(look.entries, drop, CHOSEN);
  const popped = marked(look.entries, drop, POPPED);
  const parts = [
    { cause, removed: chosen },
    { cause: { ...cause, reason: "boundary" as const }, removed: popped },
  ].filter((part) => part.removed.length > 0);
  const costOf = (entry: WindowEntry): number =>
    evaluation.shortened.get(entry)?.tokenCount ?? entry.tokenCount;
  const trims = trimsOf(parts, look.totals, costOf);
  evaluation.trims.push(...trims);
  if (cause.fromStored) removeStored(evaluation, after, parts, trims);
  lookOn(evaluation, after);
  return true;
}

interface Part<E extends WindowEntry> {
  readonly cause: Cause;
  readonly removed: readonly E[];
}

/** One trim for each part, one after the other. */
function trimsOf<E extends WindowEntry>(
  parts: readonly Part<E>[],
  start: Totals,
  costOf: (entry: WindowEntry) => number,
): Trim<E>[] {
  let before: Totals = { messageCount: start.messageCount, tokenCount: start.tokenCount };
  return parts.map(({ cause, removed }) => {
    const { stage, reason, discarded } = cause;
    const tokens = removed.reduce((sum, entry) => sum + costOf(entry), 0);
    const after = {
      messageCount: before.messageCount - removed.length,
      tokenCount: before.tokenCount - tokens,
    };
    const trim = { stage, reason, removed, before, after, discarded };
    before = after;
    return trim;
  });
}

function removeStored<E extends WindowEntry>(
  evaluation: Evaluation<E>,
  after: Look<E>,
  parts: readonly Part<E>[],
  trims: readonly Trim<E>[],
): void {
  const { look, stored, storedTotals, shortened } = evaluation;
  const isSame = stored === look.entries;
  const gone = new Set(parts.flatMap((part) => part.removed));
  evaluation.stored = isSame ? after.entries : stored.filter((entry) => !gone.has(entry));
  const isPlain = isSame && shortened.size === 0;
  // The stored window counts its messages whole, however much of them a read shows.
  evaluation.storedTrims.push(
    ...(isPlain ? trims : trimsOf(parts, storedTotals, (entry) => entry.tokenCount)),
  );
  let { messageCount, tokenCount, byteCount } = storedTotals;
  for (const entry of gone) {
    messageCount -= 1;
    tokenCount -= entry.tokenCount;
    byteCount -= entry.byteCount;
  }
  evaluation.storedTotals = { messageCount, tokenCount, byteCount };
}

/** Whether an entry meets all conditions; notes those that fail on it. */
export function meetsAll<E extends WindowEntry>(
  evaluation: Evaluation<E>,
  conditions: readonly string[],
  where: { readonly stage: string; readonly field: string },
): (index: number) => boolean {
  const judge = evaluation.judge();
  const { entries } = evaluation.look;
  return (index) =>
    conditions.every((expression, number) => {
      const answer = judge(expression, index);
      const entry = entries[index];
      if (answer === "failed" && entry !== undefined) {
        noteFailure(evaluation.failures, where, number, entry);
      }
      return answer === true;
    });
}

function noteFailure(
  failures: Map<string, Failure>,
  where: { readonly stage: string; readonly field: string },
  number: number,
  entry: WindowEntry,
): void {
  const field = `${where.field}[${number}]`;
  const key = `${where.stage} ${field}`;
  let failure = failures.get(key);
  if (failure === undefined) {
    failure = { stage: where.stage, field, entries: new Set() };
    failures.set(key, failure);
  }
  failure.entries.add(entry);
}

/** The warnings of an evaluation, in the order in which the conditions first failed. */
export function conditionWarnings(
  failures: ReadonlyMap<string, Failure>,
): readonly ConditionWarning[] {
  return [...failures.values()].map(({ stage, field, entries }) => {
    let first: WindowEntry | undefined;
    for (const entry of entries) if (first === undefined || entry.seq < first.seq) first = entry;
    return { stage, field, messageId: first?.messageId ?? "", messageCount: entries.size };
  });
}

/** A stage that acted; whether it is over a limit is known only at the end. */
export interface PendingRun extends Omit<StageRun, "overLimit"> {
  /** It is told of whatever comes: it has triggers, or did something. */
  readonly isTold: boolean;
  readonly isOver: () => boolean;
}
