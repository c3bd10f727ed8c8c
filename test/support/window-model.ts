// The window rules once more, as slow and plain as they can be said: the reference that property
// tests compare with. Shares no code with src/domain/window, only its types.

import type { Policy, PolicyStage, Protections, Trigger, Unit } from "../../src/domain/policy.ts";
import type { Trim, TrimOutcome, TrimReason, WindowEntry } from "../../src/domain/window/types.ts";

const USER = 1;
const ASSISTANT = 2;
const SYSTEM = 3;
const TOOL = 4;
const CEILING_MESSAGES = 10_000;
const CEILING_BYTES = 3 * 1024 * 1024;

type Entries = readonly WindowEntry[];

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
const tokensOf = (entries: Entries): number => sum(entries.map((e) => e.tokenCount));
const bytesOf = (entries: Entries): number => sum(entries.map((e) => e.byteCount));
const sizeOf = (entries: Entries) => ({
  messageCount: entries.length,
  tokenCount: tokensOf(entries),
});
const isCall = (e: WindowEntry): boolean => e.role === ASSISTANT && e.callIds.length > 0;

/** The message that makes the call a tool result answers; undefined for an orphan. */
export function modelCallOf(entries: Entries, result: WindowEntry): WindowEntry | undefined {
  const before = entries.slice(0, entries.indexOf(result)).reverse();
  const [answered] = result.answers;
  if (answered !== undefined) {
    return before.find((e) => isCall(e) && e.callIds.includes(answered));
  }
  const nearest = before.find((e) => e.role !== TOOL);
  return nearest !== undefined && isCall(nearest) ? nearest : undefined;
}

/** The group of an entry: the call with all its results, or the entry alone. */
export function modelGroupOf(entries: Entries, entry: WindowEntry): Entries {
  const call = entry.role === TOOL ? modelCallOf(entries, entry) : entry;
  if (call === undefined || !isCall(call)) return [entry];
  const answers = (e: WindowEntry) => e.role === TOOL && modelCallOf(entries, e) === call;
  return entries.filter((e) => e === call || answers(e));
}

/** The calls of one message that have no result. */
function openCalls(entries: Entries, call: WindowEntry): string[] {
  const results = modelGroupOf(entries, call).filter((e) => e !== call);
  const open = [...new Set(call.callIds)].filter(
    (id) => !results.some((r) => r.answers.includes(id)),
  );
  return open.slice(results.filter((r) => r.answers.length === 0).length);
}

/** Every call id without a result, in order, once each. */
export function modelOpenCallIds(entries: Entries): string[] {
  return [...new Set(entries.filter(isCall).flatMap((call) => openCalls(entries, call)))];
}

function isWaiting(entries: Entries, call: WindowEntry): boolean {
  const later = entries.slice(entries.indexOf(call) + 1);
  const movedOn = later.some((e) => e.role === USER || (e.role === ASSISTANT && !isCall(e)));
  return openCalls(entries, call).length > 0 && !movedOn;
}

function setAside(entries: Entries, protections: Protections): Set<WindowEntry> {
  const firstOther = entries.findIndex((e) => e.role !== SYSTEM);
  const systems = entries.filter((e, index) => {
    if (e.role !== SYSTEM || protections.system === "none") return false;
    return protections.system === "all" || firstOther === -1 || index < firstOther;
  });
  const pinned = entries.filter((e) => e.role !== SYSTEM).slice(0, protections.pinFirst);
  return new Set([...systems, ...pinned.flatMap((e) => modelGroupOf(entries, e))]);
}

/** The newest messages, the last user message, and calls that wait. */
function protecting(entries: Entries, protections: Protections): Set<WindowEntry> {
  const { minMessages, lastUser } = protections;
  const newest = minMessages === 0 ? [] : entries.slice(-minMessages);
  const users = lastUser ? entries.filter((e) => e.role === USER).slice(-1) : [];
  const waiting = entries.filter((e) => isCall(e) && isWaiting(entries, e));
  return new Set([...newest, ...users, ...waiting]);
}

/** Whether a unit begins with this entry, given what is before it in the list. */
function begins(unit: Unit, entry: WindowEntry, before: Entries): boolean {
  if (before.length === 0 || unit === "message" || entry.role === USER) return true;
  if (unit === "interaction") return false;
  if (entry.role === ASSISTANT) return true;
  const head = before.findLast((e) => e.role === USER || e.role === ASSISTANT);
  return head === undefined || head.role === USER;
}

/** The units, oldest first, each by rising seq. */
function unitsOf(entries: Entries, unit: Unit, aside: ReadonlySet<WindowEntry>): Entries[] {
  const list = entries.filter((e) => !aside.has(e));
  let units: Entries[] = [];
  for (const [index, entry] of list.entries()) {
    const last = units.at(-1);
    if (last === undefined || begins(unit, entry, list.slice(0, index))) units.push([entry]);
    else units[units.length - 1] = [...last, entry];
  }
  for (const entry of list) {
    const group = modelGroupOf(entries, entry);
    const touched = units.filter((u) => u.some((e) => group.includes(e)));
    if (touched.length < 2) continue;
    const joined = touched.flat().sort((a, b) => a.seq - b.seq);
    units = [...units.filter((u) => !touched.includes(u)), joined];
  }
  const firstSeq = (u: Entries): number => u[0]?.seq ?? 0;
  return units.sort((a, b) => firstSeq(a) - firstSeq(b));
}

/** The units of a window and whether each must stay. */
function modelUnits(entries: Entries, unit: Unit, protections: Protections) {
  const guards = protecting(entries, protections);
  return unitsOf(entries, unit, setAside(entries, protections)).map((members) => ({
    members,
    stays: members.some((e) => guards.has(e)),
  }));
}

/** What must stay in a window for a stage with this unit. */
export function modelProtected(entries: Entries, unit: Unit, protections: Protections): Entries {
  const units = modelUnits(entries, unit, protections);
  const removable = new Set(units.filter((u) => !u.stays).flatMap((u) => u.members));
  return entries.filter((e) => !removable.has(e));
}

function isOver(trigger: Trigger, entries: Entries): boolean {
  const size = sizeOf(entries);
  if (trigger.kind === "message-count-over") return size.messageCount > trigger.limit;
  return trigger.kind === "token-count-over" && size.tokenCount > trigger.limit;
}

function acts(stage: PolicyStage, entries: Entries): boolean {
  return stage.anyOf.length === 0 || stage.anyOf.some((trigger) => isOver(trigger, entries));
}

function overMessages({ select }: PolicyStage, entries: Entries): boolean {
  if (select.kind !== "drop-oldest" || select.maxMessages === undefined) return false;
  return entries.length > select.maxMessages;
}

function overTokens({ select }: PolicyStage, entries: Entries): boolean {
  if (select.kind !== "drop-oldest" || select.maxTokens === undefined) return false;
  return tokensOf(entries) > select.maxTokens;
}

/** Whether a limit of a drop-oldest stage is passed. */
export function modelOverLimit(stage: PolicyStage, entries: Entries): boolean {
  return overMessages(stage, entries) || overTokens(stage, entries);
}

interface Removal {
  readonly unit: Unit;
  readonly protections: Protections;
  readonly isTooMuch: (entries: Entries) => boolean;
}

function dropOldest(entries: Entries, removal: Removal): Entries {
  let kept = entries;
  for (const { members, stays } of modelUnits(entries, removal.unit, removal.protections)) {
    if (!removal.isTooMuch(kept)) return kept;
    if (!stays) kept = kept.filter((e) => !members.includes(e));
  }
  return kept;
}

function keepLast(entries: Entries, stage: PolicyStage, protections: Protections): Entries {
  const count = stage.select.kind === "keep-last" ? stage.select.unitCount : 0;
  const units = modelUnits(entries, stage.unit, protections);
  const older = units.slice(0, Math.max(0, units.length - count)).filter((u) => !u.stays);
  return entries.filter((e) => !older.some((u) => u.members.includes(e)));
}

function runStage(entries: Entries, stage: PolicyStage, protections: Protections): Entries {
  if (stage.select.kind === "keep-last") return keepLast(entries, stage, protections);
  const isTooMuch = (left: Entries): boolean => modelOverLimit(stage, left);
  return dropOldest(entries, { unit: stage.unit, protections, isTooMuch });
}

function reasonOf(stage: PolicyStage, entries: Entries): TrimReason {
  if (stage.select.kind === "keep-last") return "keep-last";
  return overMessages(stage, entries) ? "message-limit" : "token-limit";
}

function trimOf(stage: string, reason: TrimReason, before: Entries, after: Entries): Trim[] {
  const removed = before.filter((e) => !after.includes(e));
  const sizes = { before: sizeOf(before), after: sizeOf(after) };
  return removed.length === 0 ? [] : [{ stage, reason, removed, ...sizes, discarded: false }];
}

/** The part of an outcome that the model foretells. */
export type ModelOutcome = Pick<TrimOutcome, "kept" | "trims" | "overLimit" | "ceilingPassed">;

/** What the rules make of a window. */
export function modelTrim(
  entries: Entries,
  policy: Policy,
  stages: "append" | "read" | "all",
): ModelOutcome {
  const trims: Trim[] = [];
  const acted: PolicyStage[] = [];
  let kept: Entries = entries.filter(
    (e) => e.role !== TOOL || modelCallOf(entries, e) !== undefined,
  );
  trims.push(...trimOf("", "orphan-tool-result", entries, kept));
  for (const stage of policy.stages) {
    if ((stages !== "all" && stage.on !== stages) || !acts(stage, kept)) continue;
    acted.push(stage);
    const after = runStage(kept, stage, policy.protections);
    trims.push(...trimOf(stage.name, reasonOf(stage, kept), kept, after));
    kept = after;
  }
  if (stages === "append") {
    const after = dropOldest(kept, {
      unit: "message",
      protections: policy.protections,
      isTooMuch: (e) => e.length > CEILING_MESSAGES || bytesOf(e) > CEILING_BYTES,
    });
    trims.push(...trimOf("", "ceiling", kept, after));
    kept = after;
  }
  const stored = policy.stages.filter((s) => s.on === "append" && acts(s, kept));
  const judged = stages === "read" ? [...acted, ...stored] : acted;
  const overLimit = judged.some((stage) => modelOverLimit(stage, kept));
  if (stages !== "append") return { kept, trims, overLimit };
  if (kept.length > CEILING_MESSAGES) return { kept, trims, overLimit, ceilingPassed: "messages" };
  if (bytesOf(kept) > CEILING_BYTES) return { kept, trims, overLimit, ceilingPassed: "bytes" };
  return { kept, trims, overLimit };
}
