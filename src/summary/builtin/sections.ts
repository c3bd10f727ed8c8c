// The sections of a structured summary: the user's request, facts, and open threads.
// Each section quotes sentences of the conversation, and none appears in two sections.

import { budgetOfTokens, costOf, fits, sumOf, type TextBudget, type TextCost } from "./cost.ts";
import { isDecision, isFact, isQuestion } from "./cues.ts";
import type { ExtractLine } from "./lines.ts";
import { labelOf, render } from "./render.ts";
import { allowedTokens, type Extraction, type ExtractOptions, extract } from "./summarize.ts";
import type { Unit } from "./units.ts";

/** A summary in sections; together they cost at most what one text may. */
export interface ExtractSections {
  readonly text: string;
  /** The user's request; may be empty. */
  readonly requestText: string;
  readonly facts: readonly string[];
  readonly openThreads: readonly string[];
}

// Shares of the tokens. A third of the main text, and at most half of its sentences, may
// become facts.
const TEXT_SHARE = 0.75;
const REQUEST_SHARE = 0.15;
const OPEN_SHARE = 0.1;
const FACTS_SHARE = TEXT_SHARE / 3;

/** Longer lists are of no use to a reader. */
const ITEMS_MAX = 12;

const REQUEST = new RegExp(
  `^(?:${[
    "please|(?:can|could|would|will) you|help me|i (?:need|want|would like)|i'd like",
    "i'm (?:trying|looking)|let's|make|write|add|fix|create|find|show|explain|build|book|plan",
    "give|tell",
  ].join("|")})\\b`,
  "i",
);
const OPEN = new RegExp(
  `\\b(?:${[
    "to-?do|next steps?|still (?:need|have to|open|missing|waiting)|follow(?:ing)?[- ]up|pending",
    "not yet|open question|blocked|waiting (?:for|on)|remains? to|unresolved|get back to",
  ].join("|")})\\b`,
  "i",
);

/** Makes a summary in sections. Its text is empty only when the lines have no content. */
export function summarizeInSections(
  lines: readonly ExtractLine[],
  options: ExtractOptions,
): ExtractSections {
  const tokens = allowedTokens(lines, options);
  const main = { ...options, maxTokens: Math.max(1, Math.floor(tokens * TEXT_SHARE)) };
  const extraction = extract(lines, main);
  const used = new Set<string>();
  const request = requestOf(extraction, shareOf(tokens, REQUEST_SHARE));
  for (const unit of request) used.add(unit.text);
  const open = openOf(extraction, shareOf(tokens, OPEN_SHARE), used);
  for (const unit of open) used.add(unit.text);
  const left = extraction.picked.filter((unit) => !used.has(unit.text));
  const facts = factsOf(left, extraction, shareOf(tokens, FACTS_SHARE));
  const rest = left.filter((unit) => !facts.includes(unit));
  const named = (unit: Unit) => nameOne(unit, extraction.lines);
  // A summary must have a text: with nothing left for it, the text repeats the sections.
  const isSame = rest.length === 0 || rest.length === extraction.picked.length;
  const text = isSame ? extraction.text : render(rest, extraction.lines, true);
  return {
    text,
    requestText: request.map((unit) => unit.text).join(" "),
    facts: rest.length === 0 ? [] : facts.map(named),
    openThreads: open.map(named),
  };
}

function shareOf(tokens: number, share: number): TextBudget {
  return budgetOfTokens(Math.floor(tokens * share));
}

function nameOne(unit: Unit, lines: readonly ExtractLine[]): string {
  return render([unit], lines, true);
}

/** The first thing that the user asked for, then the latest ones, in order. */
function requestOf({ units, lines }: Extraction, budget: TextBudget): Unit[] {
  const asked = units.units.filter(
    (unit) =>
      lines[unit.line]?.role === "user" &&
      unit.kind === "prose" &&
      unit.terms.length > 1 &&
      unit.needs === -1 &&
      (isQuestion(unit.text) || REQUEST.test(unit.text)),
  );
  const [first, ...others] = asked;
  if (first === undefined) return [];
  return takeFitting([first, ...others.reverse()], budget, (unit) => costOf(unit.text));
}

/** Questions of the user that no later message answers, and sentences that name an open issue. */
function openOf({ units, lines }: Extraction, budget: TextBudget, used: Set<string>): Unit[] {
  let lastAnswer = -1;
  lines.forEach((line, index) => {
    if (line.role === "assistant" && line.text !== "") lastAnswer = index;
  });
  const others = units.units.filter((unit) => {
    return !used.has(unit.text) && isSaid(unit) && unit.terms.length > 0;
  });
  const questions = others.filter((unit) => {
    return isQuestion(unit.text) && unit.line > lastAnswer && lines[unit.line]?.role === "user";
  });
  const called = others.filter((unit) => !isQuestion(unit.text) && OPEN.test(unit.text));
  // Order of preference: questions before the rest, the latest of each first.
  const open = [...questions.reverse(), ...called.reverse()];
  return takeFitting(open, budget, (unit) => costOf(nameOne(unit, lines)));
}

/** Whether a unit is understood alone: it is not code, and needs no other unit. */
function isSaid({ kind, needs }: Unit): boolean {
  return kind !== "code" && kind !== "scrap" && needs === -1;
}

function factsOf(
  picked: readonly Unit[],
  { lines, worth }: Extraction,
  budget: TextBudget,
): readonly Unit[] {
  const factorOf = (unit: Unit) => worth.factors[unit.index] ?? 0;
  const facts = picked
    .filter((unit) => !isQuestion(unit.text) && (isFact(unit.text) || isDecision(unit.text)))
    .filter((unit) => isSaid(unit) && unit.answerTo === -1)
    .filter((unit) => labelOf(lines[unit.line] ?? NOBODY) !== "")
    .sort((a, b) => factorOf(b) - factorOf(a) || a.index - b.index)
    .slice(0, Math.floor(picked.length / 2));
  return takeFitting(facts, budget, (unit) => costOf(nameOne(unit, lines)));
}

const NOBODY: ExtractLine = { role: "summary", text: "", name: "", messageId: "", seq: 0 };
const GAP = costOf("; ");

/** Takes units that fit, in the order given; gives them in the order of the conversation. */
function takeFitting(
  wanted: readonly Unit[],
  budget: TextBudget,
  costOfUnit: (unit: Unit) => TextCost,
): Unit[] {
  const taken: Unit[] = [];
  const texts = new Set<string>();
  let used: TextCost = { bytes: 0, pieces: 0 };
  for (const unit of wanted) {
    if (taken.length === ITEMS_MAX) break;
    const cost = sumOf(used, sumOf(costOfUnit(unit), GAP));
    if (texts.has(unit.text) || !fits(cost, budget)) continue;
    used = cost;
    texts.add(unit.text);
    taken.push(unit);
  }
  return taken.sort((a, b) => a.index - b.index);
}
