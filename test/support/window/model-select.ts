// The reference model of windows, second part: when a stage acts and what it chooses. See
// window-model-units.ts.

import {
  compileCondition,
  MessageView,
  TurnView,
} from "../../../src/window/conditions/condition.ts";
import type {
  Policy,
  PolicyStage,
  Selection,
  Trigger,
  WindowUnit,
} from "../../../src/window/policy/policy.ts";
import { similarityOf } from "../../../src/window/rules/duplicates.ts";
import type { Signals, TriggerHit, TrimReason } from "../../../src/window/rules/types.ts";
import type { TestEntry } from "./arbitraries.ts";
import {
  isAsked,
  isCall,
  type ModelUnit,
  modelIsOrphan,
  modelSeen,
  modelTiedTo,
  modelUnits,
} from "./model-units.ts";

type Entries = readonly TestEntry[];

/** A window before a stage, with what the stage may look at. */
export interface ModelWindow {
  readonly entries: Entries;
  readonly policy: Policy;
  readonly signals: Signals;
  /** Costs of shortened messages. */
  readonly costs: ReadonlyMap<TestEntry, number>;
  /** When the newest message was stored. */
  readonly newestMs: number;
  /** Number of the newest assistant messages that the stage leaves alone. Default 0. */
  readonly keepAssistantTurns?: number;
  /** The stage chooses, and this is it: it may take up placed summaries. */
  readonly chooser?: PolicyStage;
  /** Notes that a condition failed. */
  readonly fail: (field: string, entry: TestEntry) => void;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

/** Cost of entries in a window. */
export const modelTokens = ({ costs }: ModelWindow, entries: Entries): number =>
  sum(entries.map((e) => costs.get(e) ?? e.tokenCount));

const seenOf = (window: ModelWindow): Entries => modelSeen(window.entries, window.policy);

const unitsOf = (window: ModelWindow, unit: WindowUnit): ModelUnit[] => {
  const { entries, policy, keepAssistantTurns = 0, chooser } = window;
  return modelUnits(entries, { ...chooser, unit, keepAssistantTurns }, policy);
};

const ROLES = ["", "user", "assistant", "system", "tool"];

/** Whether an entry meets all conditions; those that fail are noted. */
function meets(
  window: ModelWindow,
  conditions: readonly string[],
  field: string,
  entry: TestEntry,
): boolean {
  // Conditions see the same turns whichever stage asks.
  const { chooser: _chooser, ...plain } = window;
  const turns = unitsOf(plain, "turn");
  const at = turns.findIndex(({ members }) => members.includes(entry));
  const members = turns[at]?.members ?? [];
  const facts = {
    role: ROLES[entry.role] ?? "",
    tool_call_id: entry.answers[0] ?? "",
    tokens: modelTokens(window, [entry]),
    age_seconds: Math.max(0, (window.newestMs - entry.createMs) / 1_000),
  };
  const view = {
    message: new MessageView(facts, () => entry.detail),
    turn: new TurnView(at + 1, modelTokens(window, members), members.length),
  };
  for (const [number, expression] of conditions.entries()) {
    const answer = compileCondition(expression).test(view);
    if (answer === "failed") window.fail(`${field}[${number}]`, entry);
    if (answer !== true) return false;
  }
  return true;
}

/** The seen entries that count for a stage's triggers, in units of this kind. */
function counting(window: ModelWindow, stage: PolicyStage, unit: WindowUnit): Entries {
  const seen = seenOf(window);
  if (stage.countIf.length === 0) return seen;
  const test = (e: TestEntry): boolean => meets(window, stage.countIf, "count_if", e);
  const units = unitsOf(window, unit).map(({ members }) => members);
  // A message outside all units counts by itself.
  const alone = seen.filter((e) => !units.some((u) => u.includes(e))).map((e) => [e]);
  const counted = [...units, ...alone].filter((u) => u.map(test).every((met) => met));
  return seen.filter((e) => counted.some((u) => u.includes(e)));
}

function holds(window: ModelWindow, stage: PolicyStage, trigger: Trigger): boolean {
  const { signals, newestMs, policy } = window;
  const counted = () => counting(window, stage, stage.unit);
  const acted = signals.actedSeqs.get(stage.name) ?? 0;
  const fresh = () => counted().filter((e) => e.seq > acted && Number.isInteger(e.seq));
  const turns = () => {
    const counts = counting(window, stage, "turn");
    const units = unitsOf(window, "turn").map(({ members }) => members);
    const whole = units.filter((u) => u.every((e) => counts.includes(e)));
    return whole.filter((u) => u.some((e) => Number.isInteger(e.seq)));
  };
  switch (trigger.kind) {
    case "message-count-over":
      return counted().length > trigger.limit;
    case "token-count-over":
      return modelTokens(window, counted()) > trigger.limit;
    case "context-share-at-least":
      return modelTokens(window, counted()) >= trigger.share * policy.contextWindow;
    case "model-input-tokens-over":
      return signals.modelInputTokens > trigger.limit;
    case "turn-count-over":
      return turns().length > trigger.limit;
    case "turn-tokens-over":
      return modelTokens(window, turns().flat()) > trigger.limit;
    case "new-messages-at-least":
      // Without conditions those count as well that came and left again.
      return (
        (stage.countIf.length === 0 ? signals.lastSeq - acted : fresh().length) >= trigger.limit
      );
    case "new-tokens-at-least":
      // A result that was made behind the newest message is nothing that came.
      return signals.lastSeq > acted && modelTokens(window, fresh()) >= trigger.limit;
    case "age-over":
      return counted().some((e) => newestMs - e.createMs > trigger.ms);
    case "always":
      return true;
    default:
      return false;
  }
}

function hitsOf(window: ModelWindow, stage: PolicyStage, trigger: Trigger): TriggerHit[] {
  if (trigger.kind !== "tool-success" && trigger.kind !== "tool-error") {
    return holds(window, stage, trigger) ? [{ kind: trigger.kind, tool: "" }] : [];
  }
  const wanted = trigger.kind === "tool-error";
  return trigger.names
    .filter((name) =>
      window.signals.outcomes.some(({ tool, error }) => tool === name && error === wanted),
    )
    .map((tool) => ({ kind: trigger.kind, tool }));
}

const ORDER: readonly Trigger["kind"][] = [
  "model-input-tokens-over",
  "message-count-over",
  "token-count-over",
  "context-share-at-least",
  "turn-count-over",
  "turn-tokens-over",
  "new-messages-at-least",
  "new-tokens-at-least",
  "tool-success",
  "tool-error",
  "age-over",
  "always",
];

/** The triggers that hold, in the order of TriggerKind. */
export function modelHits(window: ModelWindow, stage: PolicyStage): TriggerHit[] {
  const hits = stage.anyOf.flatMap((trigger) => hitsOf(window, stage, trigger));
  const unique = new Map(hits.map((hit) => [`${hit.kind} ${hit.tool}`, hit]));
  return [...unique.values()].sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind));
}

/** The reason of the first limit of messages or tokens that a window passes. */
export function modelPassed(window: ModelWindow, select: Selection): TrimReason | undefined {
  if (select.kind === "pack-newest") {
    const budget = Math.floor(select.maxTokens * (1 - select.headroom));
    return modelTokens(window, seenOf(window)) > budget ? "budget" : undefined;
  }
  if (select.kind !== "drop-oldest") return undefined;
  const { maxMessages = Infinity, maxTokens = Infinity } = select;
  if (seenOf(window).length > maxMessages) return "message-limit";
  return modelTokens(window, seenOf(window)) > maxTokens ? "token-limit" : undefined;
}

function isAged(window: ModelWindow, select: Selection, { members }: ModelUnit): boolean {
  if (select.kind !== "drop-oldest" || select.maxAgeMs === undefined) return false;
  return window.newestMs - Math.max(...members.map((e) => e.createMs)) > select.maxAgeMs;
}

/** Whether a window is over a limit of a stage. */
export function modelIsOver(window: ModelWindow, { select, unit }: PolicyStage): boolean {
  if (modelPassed(window, select) !== undefined) return true;
  return unitsOf(window, unit).some((u) => isAged(window, select, u));
}

/** Messages that a stage would remove, before its boundary applies, and the reason. */
export interface ModelChoice {
  readonly reason: TrimReason;
  readonly chosen: Entries;
}

/** Messages that a stage chooses from a window. */
export function modelChoice(window: ModelWindow, stage: PolicyStage): ModelChoice {
  const { select, unit } = stage;
  const units = unitsOf(window, unit);
  const free = units.filter((u) => u.holds.length === 0);
  const goes = (reason: TrimReason, list: Entries): ModelChoice => ({ reason, chosen: list });
  const none = goes("boundary", []);
  switch (select.kind) {
    case "drop-oldest":
      return dropOldest(window, stage, select);
    case "keep-last": {
      const older = units.slice(0, Math.max(0, units.length - select.unitCount));
      return goes(
        "keep-last",
        older.filter((u) => free.includes(u)).flatMap((u) => u.members),
      );
    }
    case "pack-newest":
      return goes("budget", unpacked(window, stage, select));
    case "pin-middle-recent":
      return goes("middle", middle(window, stage, select));
    case "filter": {
      const met = (e: TestEntry) => meets(window, select.conditions, "filter.conditions", e);
      const whole = free.filter((u) => !u.members.map(met).every((yes) => yes));
      if (select.scope === "unit")
        return goes(
          "filter",
          whole.flatMap((u) => u.members),
        );
      const failing = free.flatMap((u) => u.members).filter((e) => !met(e));
      return goes("filter", withTied(window, failing));
    }
    case "drop-duplicates":
      return goes(
        "duplicate",
        duplicates(
          window,
          free.flatMap((u) => u.members),
          select,
        ),
      );
    default:
      return none;
  }
}

/** Entries with all that calls and answers tie them to. */
function withTied({ entries, policy }: ModelWindow, list: Entries): Entries {
  const tied = new Set(list.flatMap((e) => modelTiedTo(entries, e, policy)));
  return entries.filter((e) => tied.has(e));
}

const without = (window: ModelWindow, gone: Entries): ModelWindow => ({
  ...window,
  entries: window.entries.filter((e) => !gone.includes(e)),
});

function dropOldest(
  window: ModelWindow,
  stage: PolicyStage,
  select: Extract<Selection, { kind: "drop-oldest" }>,
): ModelChoice {
  // Nothing may go from where a user message is to stay and there is none.
  const lacksUser = window.policy.protections.lastUser && !window.entries.some(isAsked);
  let chosen: Entries = [];
  for (const unit of unitsOf(window, stage.unit)) {
    const fits = modelPassed(without(window, chosen), select) === undefined;
    if (fits && select.maxAgeMs === undefined) break;
    if (select.stopAtProtected && (lacksUser || unit.holds.length > 0)) break;
    if (select.stopAtFree && modelTokens(window, unit.members) === 0) break;
    // Once the sizes hold, only what is too old goes.
    const goes = !fits || isAged(window, select, unit);
    if (goes && unit.holds.length === 0) chosen = [...chosen, ...unit.members];
  }
  return { reason: modelPassed(window, select) ?? "age-limit", chosen };
}

function unpacked(
  window: ModelWindow,
  stage: PolicyStage,
  select: Extract<Selection, { kind: "pack-newest" }>,
): Entries {
  const budget = Math.floor(select.maxTokens * (1 - select.headroom));
  const units = unitsOf(window, stage.unit);
  const free = units.filter((u) => u.holds.length === 0);
  const always = seenOf(window).filter((e) => !free.some((u) => u.members.includes(e)));
  let used = modelTokens(window, always);
  let stopped = false;
  const gone: TestEntry[] = [];
  for (const { members } of [...free].reverse()) {
    const fits = used + modelTokens(window, members) <= budget;
    if (!fits && !select.skipUnfit) stopped = true;
    if (fits && !stopped) used += modelTokens(window, members);
    else gone.push(...members);
  }
  return gone;
}

function middle(
  window: ModelWindow,
  { boundary }: PolicyStage,
  select: Extract<Selection, { kind: "pin-middle-recent" }>,
): Entries {
  const messages = unitsOf(window, "message");
  const list = window.entries.filter((e) => messages.some((u) => u.members.includes(e)));
  const pinned = list.slice(0, select.pinFirst);
  const others = list.slice(select.pinFirst);
  const recent = others.slice(-select.keepRecent);
  const between = others.slice(0, -select.keepRecent);
  const rule = boundary?.rule;
  if (pinned.length + recent.length > list.length) return [];
  if (rule === "absorb-and-grow") while (between[0]?.isResult === true) between.shift();
  if (rule === "absorb-and-grow" || rule === "grow-recent") {
    while (recent[0]?.isResult === true && between.length > 0)
      recent.unshift(...between.splice(-1));
  }
  const free = messages.filter((u) => u.holds.length === 0).flatMap((u) => u.members);
  const marked = between.filter((e) => free.includes(e));
  const gone = marked.filter((e) => withTied(window, [e]).every((tied) => marked.includes(tied)));
  return gone.length < select.minRemoved ? [] : gone;
}

function duplicates(
  window: ModelWindow,
  free: Entries,
  { similarity, lookahead }: Extract<Selection, { kind: "drop-duplicates" }>,
): Entries {
  const said = (text: string) => text.normalize("NFKC").toLowerCase().split(/\s+/).join(" ").trim();
  const texts = window.entries.filter(
    (e) => !isCall(e) && !e.isResult && e.answers.length === 0 && said(e.detail.content) !== "",
  );
  return free.filter((e) => {
    if (!texts.includes(e)) return false;
    const sameRole = texts.filter((other) => other.role === e.role && other.seq > e.seq);
    return sameRole.slice(0, lookahead).some((other) => {
      const [a, b] = [e.detail.content, other.detail.content];
      return similarity === 1 ? said(a) === said(b) : similarityOf(a, b) >= similarity;
    });
  });
}

/** A stage's choice after its boundary has applied. */
export interface ModelCut {
  readonly chosen: Entries;
  /** Messages that only the boundary removes. */
  readonly popped: Entries;
}

/** Makes the cut of a stage safe. */
export function modelCut(window: ModelWindow, stage: PolicyStage, chosen: Entries): ModelCut {
  const rule = stage.boundary?.rule;
  const always = stage.boundary?.always === true || stage.select.kind === "boundary-only";
  if (rule === "grow-recent" && stage.select.kind !== "pin-middle-recent") {
    return { chosen: growRecent(window, chosen), popped: [] };
  }
  const pops = rule === "pop-tool-head" || rule === "pop-orphan-head";
  if (!pops || (chosen.length === 0 && !always)) return { chosen, popped: [] };
  return { chosen, popped: popHead(window, rule, chosen) };
}

function growRecent(window: ModelWindow, chosen: Entries): Entries {
  const inUnits = unitsOf(window, "message").flatMap((u) => u.members);
  let gone = chosen;
  for (;;) {
    const head = window.entries.find((e) => inUnits.includes(e) && !gone.includes(e));
    const older = head && gone.filter((e) => e.seq < head.seq).sort((a, b) => b.seq - a.seq)[0];
    if (head?.isResult !== true || older === undefined) return gone;
    const back = withTied(window, [older]);
    gone = gone.filter((e) => !back.includes(e));
  }
}

function popHead(window: ModelWindow, rule: string, chosen: Entries): Entries {
  const free = unitsOf(window, "message").filter((u) => u.holds.length === 0);
  const popped: TestEntry[] = [];
  for (;;) {
    const left = seenOf(window).filter((e) => !chosen.includes(e) && !popped.includes(e));
    const [head] = left;
    if (head === undefined || !free.some((u) => u.members.includes(head))) return popped;
    // At the head every result has lost its call, unless the two are kept together.
    const isLost =
      head.isResult && (window.policy.toolPairing === "loose" || isOrphanIn(left, head));
    if (rule === "pop-tool-head" ? !(head.isResult || isCall(head)) : !isLost) return popped;
    const tied = withTied(window, [head]).filter((e) => left.includes(e));
    if (tied.length >= left.length) return popped;
    popped.push(...tied);
  }
}

function isOrphanIn(left: Entries, head: TestEntry): boolean {
  return modelIsOrphan(left, head);
}
