// A window as the stages look at it. What is found out about it is found out once, when first
// asked, and serves every stage until a message leaves.

import { LIMITS } from "../../kit/limits.ts";
import { once } from "../../kit/once.ts";
import type { Policy, PolicyStage, WindowUnit } from "../policy/policy.ts";
import { isPlaced } from "../policy/summary-spec.ts";
import { type Grouping, groupEntriesAs, groupingWithout } from "./groups.ts";
import { guardEntries, HOLD, isSummary, setAside, UNSEEN } from "./protect.ts";
import { countToFill } from "./tool-result-fill.ts";
import { type Beside, ROLE, type WindowEntry, type WindowTotals } from "./types.ts";
import { NO_UNIT, splitUnits, type Units } from "./units.ts";

/** Sizes of the units of a window, by unit number. */
export interface UnitSizes {
  readonly messages: Float64Array;
  readonly tokens: Float64Array;
  readonly bytes: Float64Array;
  /** When the newest message was stored, in milliseconds since 1970. */
  readonly newestMs: Float64Array;
}

/** A window split into units. */
export interface Layout extends Units {
  /** By unit number: the reasons to keep it, as bits of HOLD; 0 when it may go. */
  readonly holds: Uint8Array;
  readonly sizes: () => UnitSizes;
}

/** A window with all that is known of it. */
export interface Look<E extends WindowEntry = WindowEntry> {
  readonly entries: readonly E[];
  readonly policy: Policy;
  /** Totals of all entries, after shortening. */
  readonly totals: WindowTotals;
  /** Tokens of each entry after shortening; undefined when none is shortened. */
  readonly costs: Float64Array | undefined;
  readonly beside: Beside;
  /** The totals of what the policy sees, with what a read adds. */
  readonly counted: () => WindowTotals;
  /** The same without the summary of the session. */
  readonly countedBare: () => WindowTotals;
  readonly grouping: () => Grouping;
  /** By entry: why it is set aside, as bits of HOLD; 0 when it is not. */
  readonly aside: () => Uint8Array;
  readonly layout: (unit: WindowUnit) => Layout;
}

/** The same for a function of the unit of stages. */
function onceForUnit(make: (unit: WindowUnit) => Layout): (unit: WindowUnit) => Layout {
  const layouts = new Map<WindowUnit, Layout>();
  return (unit) => {
    const layout = layouts.get(unit) ?? make(unit);
    layouts.set(unit, layout);
    return layout;
  };
}

/** Facts about the entries of a look that are known beforehand. */
export interface KnownLook {
  /** Tokens of the entries. Default: their own counts. */
  readonly costs?: Float64Array | undefined;
  /** Groups of entries that belong together. Default: computed on demand. */
  readonly grouping?: (() => Grouping) | undefined;
  /** Tokens that a read adds to them. Default: none. */
  readonly beside?: Beside | undefined;
}

const NOTHING_BESIDE: Beside = { summary: 0, fill: 0 };

/** Looks at a window through a policy. Costs nothing until something is asked. */
export function lookAt<E extends WindowEntry>(
  entries: readonly E[],
  policy: Policy,
  totals: WindowTotals,
  known: KnownLook = {},
): Look<E> {
  const { costs, beside = NOTHING_BESIDE } = known;
  const grouping = known.grouping ?? once(() => groupEntriesAs(entries, policy.toolPairing));
  const protection = protect({ entries, policy, grouping, costs }, false);
  const countedBare = once(() => {
    const seen = seenTotals(entries, policy, totals, costs);
    return withTokens(seen, fillTokens(entries, policy, beside));
  });
  const counted = once(() => withTokens(countedBare(), beside.summary));
  return { entries, policy, totals, costs, beside, counted, countedBare, grouping, ...protection };
}

function withTokens(totals: WindowTotals, more: number): WindowTotals {
  return more === 0 ? totals : { ...totals, tokenCount: totals.tokenCount + more };
}

/** Tokens of the results that a read fills in. */
function fillTokens(entries: readonly WindowEntry[], policy: Policy, { fill }: Beside): number {
  const { toolResultFill } = policy;
  if (fill === 0 || toolResultFill === undefined) return 0;
  return fill * Math.min(countToFill(entries, toolResultFill), LIMITS.filledResults);
}

/** The window as it is judged when nothing more can go: the summary of the session makes way. */
export function lookBare<E extends WindowEntry>(look: Look<E>): Look<E> {
  return look.beside.summary === 0 ? look : { ...look, counted: look.countedBare };
}

/** Marks entries that are set aside; with `folds`, placed summaries are messages like others. */
function protect(
  look: Pick<Look, "entries" | "policy" | "grouping" | "costs">,
  folds: boolean,
): Pick<Look, "aside" | "layout"> {
  const { entries, policy, grouping, costs } = look;
  const aside = once(() => setAside(entries, grouping().callOf, policy, folds));
  const guards = once(() => guardEntries(entries, grouping(), policy));
  const layout = onceForUnit((unit) => {
    const units = splitUnits(entries, unit, grouping().callOf, aside());
    const sizes = once(() => unitSizes(entries, units, costs));
    return { ...units, holds: unitHolds(units, guards()), sizes };
  });
  return { aside, layout };
}

/**
 * The window as a stage looks at it: for one whose summaries stand in the window they may go like
 * messages. It takes up the earlier ones with the next messages, or merges them by level; held as
 * system messages, they would push more and more messages out. The very look for other stages.
 */
export function lookFolded<E extends WindowEntry>(look: Look<E>, stage: PolicyStage): Look<E> {
  return foldsSummaries(stage) ? lookFolding(look) : look;
}

/** The same, with the newest assistant turns that the stage leaves alone. */
export function lookOfStage<E extends WindowEntry>(look: Look<E>, stage: PolicyStage): Look<E> {
  return lookKeeping(lookFolded(look, stage), stage.keepAssistantTurns ?? 0);
}

function foldsSummaries({ removedTo, effect, summarize }: PolicyStage): boolean {
  if (removedTo !== "summarize" || effect !== "store") return false;
  return summarize?.leave === "with-summary" && isPlaced(summarize);
}

function lookFolding<E extends WindowEntry>(look: Look<E>): Look<E> {
  const { system } = look.policy.protections;
  const isHeld = system === "all" || system === "leading";
  if (!isHeld || !look.entries.some(isSummary)) return look;
  return { ...look, ...protect(look, true) };
}

/**
 * The window in which the newest assistant messages, this many, and all that follows the oldest of
 * them must stay; with fewer of them everything. The very look when it is none.
 */
function lookKeeping<E extends WindowEntry>(look: Look<E>, count: number): Look<E> {
  if (count === 0) return look;
  const from = assistantTurnsStart(look, count);
  const layout = onceForUnit((unit) => {
    const plain = look.layout(unit);
    const holds = Uint8Array.from(plain.holds);
    for (let i = from; i < look.entries.length; i++) {
      const of = plain.unitOf[i] ?? NO_UNIT;
      if (of !== NO_UNIT) holds[of] = (holds[of] ?? 0) | HOLD.minMessages;
    }
    return { ...plain, holds };
  });
  return { ...look, layout };
}

/** The window as if nothing had been shortened; the very look when nothing was. */
export function lookAtWhole<E extends WindowEntry>(look: Look<E>): Look<E> {
  if (look.costs === undefined) return look;
  const tokenCount = look.entries.reduce((sum, entry) => sum + entry.tokenCount, 0);
  const { grouping, beside } = look;
  return lookAt(look.entries, look.policy, { ...look.totals, tokenCount }, { grouping, beside });
}

/** The index of the oldest of the newest assistant messages; 0 when there are fewer. */
export function assistantTurnsStart(look: Look, count: number): number {
  if (count === 0) return look.entries.length;
  let left = count;
  for (let i = look.entries.length - 1; i >= 0; i--) {
    if (look.entries[i]?.role !== ROLE.assistant) continue;
    left -= 1;
    if (left === 0) return i;
  }
  return 0;
}

/** The window without the entries that are marked; the very look when none is. */
export function lookWithout<E extends WindowEntry>(look: Look<E>, drop: Uint8Array): Look<E> {
  const { entries, policy, costs } = look;
  const kept: E[] = [];
  const left = costs && new Float64Array(entries.length);
  let { messageCount, tokenCount, byteCount } = look.totals;
  let index = -1;
  for (const entry of entries) {
    index++;
    const cost = costs?.[index] ?? entry.tokenCount;
    if (drop[index] === 0) {
      if (left !== undefined) left[kept.length] = cost;
      kept.push(entry);
      continue;
    }
    messageCount -= 1;
    tokenCount -= cost;
    byteCount -= entry.byteCount;
  }
  if (kept.length === entries.length) return look;
  // While pairs are whole, only whole groups leave, and what is left stays paired as it is. When
  // not, a result may come to stand behind a call.
  const stays = policy.toolPairing === "whole";
  const grouping = stays ? once(() => groupingWithout(look.grouping(), drop)) : undefined;
  const totals = { messageCount, tokenCount, byteCount };
  const { beside } = look;
  return lookAt(kept, policy, totals, { costs: left?.subarray(0, kept.length), grouping, beside });
}

/** The same window with other costs. */
export function lookAtCosts<E extends WindowEntry>(
  look: Look<E>,
  costs: Float64Array,
  tokenCount: number,
): Look<E> {
  const { entries, policy, totals, grouping, beside } = look;
  return lookAt(entries, policy, { ...totals, tokenCount }, { costs, grouping, beside });
}

/** Tokens of an entry in a look. */
export function costAt(look: Look, index: number): number {
  return look.costs?.[index] ?? look.entries[index]?.tokenCount ?? 0;
}

/** Tokens of every entry in a look, as a new list. */
export function costsOf(look: Look): Float64Array {
  if (look.costs !== undefined) return look.costs.slice();
  const costs = new Float64Array(look.entries.length);
  let index = 0;
  for (const entry of look.entries) costs[index++] = entry.tokenCount;
  return costs;
}

/** Whether the policy sees an entry. */
export function isSeen(look: Look, index: number): boolean {
  return look.aside()[index] !== UNSEEN;
}

function seenTotals(
  entries: readonly WindowEntry[],
  policy: Policy,
  totals: WindowTotals,
  costs: Float64Array | undefined,
): WindowTotals {
  if (policy.protections.system !== "excluded") return totals;
  let { messageCount, tokenCount, byteCount } = totals;
  let index = -1;
  for (const entry of entries) {
    index++;
    if (entry.role !== ROLE.system) continue;
    messageCount -= 1;
    tokenCount -= costs?.[index] ?? entry.tokenCount;
    byteCount -= entry.byteCount;
  }
  return { messageCount, tokenCount, byteCount };
}

function unitHolds(units: Units, guards: Uint8Array): Uint8Array {
  const holds = new Uint8Array(units.count);
  for (let i = 0; i < guards.length; i++) {
    const unit = units.unitOf[i] ?? NO_UNIT;
    const bits = guards[i] ?? 0;
    if (unit !== NO_UNIT && bits !== 0) holds[unit] = (holds[unit] ?? 0) | bits;
  }
  return holds;
}

function unitSizes(
  entries: readonly WindowEntry[],
  units: Units,
  costs: Float64Array | undefined,
): UnitSizes {
  const messages = new Float64Array(units.count);
  const tokens = new Float64Array(units.count);
  const bytes = new Float64Array(units.count);
  const newestMs = new Float64Array(units.count);
  let index = -1;
  for (const entry of entries) {
    index++;
    const unit = units.unitOf[index] ?? NO_UNIT;
    if (unit === NO_UNIT) continue;
    messages[unit] = (messages[unit] ?? 0) + 1;
    tokens[unit] = (tokens[unit] ?? 0) + (costs?.[index] ?? entry.tokenCount);
    bytes[unit] = (bytes[unit] ?? 0) + entry.byteCount;
    newestMs[unit] = Math.max(newestMs[unit] ?? 0, entry.createMs);
  }
  return { messages, tokens, bytes, newestMs };
}
