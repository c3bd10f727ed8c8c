// The reference model of windows, first part: what belongs together and what stays. As slow and
// plain as it can be said, written from the comments of the public contract. Shares no code with
// src/window/rules, only its types.

import {
  DEFAULT_POLICY,
  type Policy,
  type PolicyStage,
  type ToolPairing,
  type WindowUnit,
} from "../../../src/window/policy/policy.ts";
import type { HoldReason } from "../../../src/window/rules/types.ts";
import type { TestEntry } from "./arbitraries.ts";

const USER = 1;
const ASSISTANT = 2;
const SYSTEM = 3;

type Entries = readonly TestEntry[];

export const isCall = (e: TestEntry): boolean => e.role === ASSISTANT && e.callIds.length > 0;
/** A user message that says something. */
export const isAsked = (e: TestEntry): boolean => e.role === USER && !e.isResult;

/** The messages that make the calls which an entry answers, one for each answer. */
export function modelCallsOf(entries: Entries, entry: TestEntry): Entries {
  const before = entries.slice(0, entries.indexOf(entry)).reverse();
  if (entry.answers.length > 0) {
    return entry.answers.flatMap((id) => before.find((e) => e.callIds.includes(id)) ?? []);
  }
  if (!entry.isResult) return [];
  // Without an id: the call right before, with only results between.
  const nearest = before.find((e) => !e.isResult);
  return nearest !== undefined && isCall(nearest) ? [nearest] : [];
}

/** The call that an entry with results stands directly behind, with only such between. */
export function modelCallBefore(entries: Entries, entry: TestEntry): Entries {
  const isBehind = (e: TestEntry): boolean => !isCall(e) && (e.isResult || e.answers.length > 0);
  if (!isBehind(entry)) return [];
  const nearest = entries.slice(0, entries.indexOf(entry)).findLast((e) => !isBehind(e));
  return nearest !== undefined && isCall(nearest) ? [nearest] : [];
}

/** A message of nothing but results whose calls are all missing. */
export function modelIsOrphan(entries: Entries, entry: TestEntry): boolean {
  return entry.isResult && modelCallsOf(entries, entry).length === 0;
}

/** An entry with everything that calls and answers tie it to. */
function groupOf(entries: Entries, entry: TestEntry): Entries {
  const group = new Set([entry]);
  for (let size = 0; size !== group.size; ) {
    size = group.size;
    for (const e of entries) {
      const calls = modelCallsOf(entries, e);
      if (calls.length === 0 || ![e, ...calls].some((one) => group.has(one))) continue;
      for (const one of [e, ...calls]) group.add(one);
    }
  }
  return entries.filter((e) => group.has(e));
}

/** Messages that a policy keeps together with an entry. */
export function modelTiedTo(
  entries: Entries,
  entry: TestEntry,
  { toolPairing }: Pick<Policy, "toolPairing">,
): Entries {
  if (toolPairing === "loose") return [entry];
  if (toolPairing !== "adjacent") return groupOf(entries, entry);
  const headOf = (e: TestEntry): TestEntry => modelCallBefore(entries, e)[0] ?? e;
  return entries.filter((e) => headOf(e) === headOf(entry));
}

/** The calls of one message that have no result. */
function openCalls(entries: Entries, call: TestEntry): string[] {
  const answers = entries.filter((e) => modelCallsOf(entries, e).includes(call));
  const open = [...new Set(call.callIds)].filter((id) => {
    const answered = answers.some(
      (e) => e.answers.includes(id) && lastMaker(entries, e, id) === call,
    );
    return !answered;
  });
  return open.slice(answers.filter((e) => e.answers.length === 0).length);
}

function lastMaker(entries: Entries, answer: TestEntry, id: string): TestEntry | undefined {
  return entries.slice(0, entries.indexOf(answer)).findLast((e) => e.callIds.includes(id));
}

/** Every call id without a result, in order, once each. */
export function modelOpenCallIds(entries: Entries): string[] {
  return [...new Set(entries.filter(isCall).flatMap((call) => openCalls(entries, call)))];
}

/** A call without all its results, and nothing shows that the conversation moved on. */
function isWaiting(entries: Entries, call: TestEntry): boolean {
  const later = entries.slice(entries.indexOf(call) + 1);
  const movedOn = later.some((e) => isAsked(e) || (e.role === ASSISTANT && !isCall(e)));
  return openCalls(entries, call).length > 0 && !movedOn;
}

/** The entries that the policy sees. */
export function modelSeen(entries: Entries, policy: Policy): Entries {
  const blind = policy.protections.system === "excluded";
  return blind ? entries.filter((e) => e.role !== SYSTEM) : entries;
}

/** Part of a stage that decides which messages stay together and which stay untouched. */
type ModelStage = Pick<PolicyStage, "unit" | "keepAssistantTurns"> & {
  readonly removedTo?: PolicyStage["removedTo"];
  readonly effect?: PolicyStage["effect"];
  readonly summarize?: PolicyStage["summarize"];
};

/** Whether a stage takes up the summaries that stand in the window. */
export function modelFolds({ removedTo, effect, summarize }: Omit<ModelStage, "unit">): boolean {
  const { keep, leave } = summarize ?? {};
  const waits = removedTo === "summarize" && effect === "store" && leave === "with-summary";
  return waits && (keep === "in-place" || keep === "hierarchical");
}

/** A placed summary: the server's own system message, between two seqs. */
function isPlaced(entry: TestEntry): boolean {
  return entry.role === SYSTEM && entry.seq % 1 !== 0;
}

/** Messages that a stage leaves alone: the newest assistant turns, or all when there are fewer. */
export function modelLeftAlone(
  entries: Entries,
  { keepAssistantTurns = 0 }: Pick<PolicyStage, "keepAssistantTurns">,
): Entries {
  if (keepAssistantTurns === 0) return [];
  const spoken = entries.filter((e) => e.role === ASSISTANT);
  const first = spoken[spoken.length - keepAssistantTurns] ?? entries[0];
  return first === undefined ? [] : entries.slice(entries.indexOf(first));
}

/** Messages outside all units, with the reasons. */
function setAside(entries: Entries, policy: Policy, folds: boolean): Map<TestEntry, HoldReason[]> {
  const { system, pinFirst, pinIds } = policy.protections;
  const aside = new Map<TestEntry, HoldReason[]>();
  const hold = (list: Entries, reason: HoldReason): void => {
    for (const e of list) aside.set(e, [...(aside.get(e) ?? []), reason]);
  };
  const firstOther = entries.findIndex((e) => e.role !== SYSTEM);
  const systems = entries.filter((e, index) => {
    if (e.role !== SYSTEM || system === "none") return false;
    // Folding takes in placed messages, unless it does not see system messages.
    if (folds && isPlaced(e) && system !== "excluded") return false;
    return system !== "leading" || firstOther === -1 || index < firstOther;
  });
  hold(systems, "system");
  const first = entries.filter((e) => e.role !== SYSTEM).slice(0, pinFirst);
  hold(
    first.flatMap((e) => modelTiedTo(entries, e, policy)),
    "pin-first",
  );
  const named = modelSeen(entries, policy).filter((e) => pinIds.includes(e.messageId));
  hold(
    named.flatMap((e) => modelTiedTo(entries, e, policy)),
    "pin-id",
  );
  return aside;
}

/** Reasons that keep the unit of an entry. */
function guards(entries: Entries, policy: Policy): Map<TestEntry, HoldReason[]> {
  const { minMessages, lastUser } = policy.protections;
  const seen = modelSeen(entries, policy);
  const newest = minMessages === 0 ? [] : seen.slice(-minMessages);
  const users = lastUser ? seen.filter(isAsked).slice(-1) : [];
  const waits = policy.toolPairing === "whole" ? entries.filter(isCall) : [];
  const waiting = waits.filter((e) => isWaiting(entries, e));
  const guarding = [...newest, ...users, ...waiting];
  const reasonsOf = (e: TestEntry): HoldReason[] => [
    ...(newest.includes(e) ? (["min-messages"] as const) : []),
    ...(users.includes(e) ? (["last-user"] as const) : []),
    ...(waiting.includes(e) ? (["waiting-call"] as const) : []),
  ];
  return new Map(guarding.map((e) => [e, reasonsOf(e)]));
}

/** Whether a unit begins with this entry, given what is before it in the list. */
function begins(unit: WindowUnit, entry: TestEntry, before: Entries): boolean {
  if (before.length === 0 || unit === "message" || isAsked(entry)) return true;
  if (unit === "turn") return false;
  if (entry.role === ASSISTANT) return true;
  const head = before.findLast((e) => isAsked(e) || e.role === ASSISTANT);
  return head === undefined || isAsked(head);
}

/** Some entries of a window that go or stay together. */
export interface ModelUnit {
  /** By rising position. */
  readonly members: Entries;
  /** Reasons why they must stay; empty if they may go. */
  readonly holds: readonly HoldReason[];
}

/** The units of a window, oldest first. */
export function modelUnits(entries: Entries, stage: ModelStage, policy: Policy): ModelUnit[] {
  const { unit } = stage;
  const alone = modelLeftAlone(entries, stage);
  const rest = (members: Entries): HoldReason[] =>
    members.some((e) => alone.includes(e)) ? ["min-messages"] : [];
  const aside = setAside(entries, policy, modelFolds(stage));
  const list = modelSeen(entries, policy).filter((e) => !aside.has(e));
  let units: Entries[] = [];
  for (const [index, entry] of list.entries()) {
    const last = units.at(-1);
    if (last === undefined || begins(unit, entry, list.slice(0, index))) units.push([entry]);
    else units[units.length - 1] = [...last, entry];
  }
  for (const entry of list) {
    const tied = modelTiedTo(entries, entry, policy);
    const touched = units.filter((u) => u.some((e) => tied.includes(e)));
    if (touched.length < 2) continue;
    const joined = touched.flat().sort((a, b) => a.seq - b.seq);
    units = [...units.filter((u) => !touched.includes(u)), joined];
  }
  const firstSeq = (u: Entries): number => u[0]?.seq ?? 0;
  const guarded = guards(entries, policy);
  return units
    .sort((a, b) => firstSeq(a) - firstSeq(b))
    .map((members) => ({
      members,
      holds: [...members.flatMap((e) => guarded.get(e) ?? []), ...rest(members)],
    }));
}

/** The number of each entry's turn, from 1, whatever is protected or not seen. */
export function modelTurns(entries: Entries, toolPairing: ToolPairing): number[] {
  const none = {
    system: "none",
    pinFirst: 0,
    pinIds: [],
    minMessages: 0,
    lastUser: false,
  } as const;
  const units = modelUnits(
    entries,
    { unit: "turn" },
    { ...DEFAULT_POLICY, protections: none, toolPairing },
  );
  return entries.map((e) => units.findIndex((u) => u.members.includes(e)) + 1);
}

/** Messages that must stay in a window for a stage. */
export function modelProtected(entries: Entries, stage: ModelStage, policy: Policy): Entries {
  const units = modelUnits(entries, stage, policy);
  const removable = new Set(units.filter((u) => u.holds.length === 0).flatMap((u) => u.members));
  return entries.filter((e) => !removable.has(e));
}

/** Every reason for which something in a window must stay. */
export function modelHoldReasons(
  entries: Entries,
  stage: ModelStage,
  policy: Policy,
): Set<HoldReason> {
  const units = modelUnits(entries, stage, policy);
  return new Set([
    ...[...setAside(entries, policy, modelFolds(stage)).values()].flat(),
    ...units.flatMap((u) => u.holds),
  ]);
}
