// Worth of sentences and terms.

import type { ExtractLine } from "./lines.ts";
import type { Unit, Units } from "./units.ts";
import type { Weights } from "./weights.ts";

/** The worth of everything in a conversation. */
export interface Worth {
  /** Of every term, by its number. */
  readonly terms: Float64Array;
  /** The factor on the terms of every unit: 1 for a plain sentence of a user. */
  readonly factors: Float64Array;
}

/** Weighs a conversation. `known`: texts that need not be repeated. */
export function weigh(units: Units, known: readonly string[], weights: Weights): Worth {
  const terms = weighTerms(units, weights);
  for (const text of known) {
    for (const term of units.terms.find(text)) terms[term] = (terms[term] ?? 0) * weights.known;
  }
  const factors = Float64Array.from(units.units, (unit) => factorOf(unit, units, weights));
  return { terms, factors };
}

/**
 * The worth of a term: its frequency, sublinear, times its inverse frequency over the lines. A
 * frequent term is a topic of the conversation; one in every line distinguishes nothing.
 */
function weighTerms({ terms, lines }: Units, weights: Weights): Float64Array {
  return Float64Array.from({ length: terms.size }, (_, number) => {
    const frequency = (1 + Math.log(terms.countOf(number))) ** weights.frequency;
    const rarity = Math.log(1 + lines.length / terms.linesOf(number)) ** weights.rarity;
    return frequency * rarity * (terms.isFigure(number) ? weights.figureTerm : 1);
  });
}

const NOBODY: Pick<ExtractLine, "role" | "saidBy"> = { role: "user" };

function factorOf(unit: Unit, { lines, lineTerms, said }: Units, weights: Weights): number {
  const { role, saidBy } = lines[unit.line] ?? NOBODY;
  let factor = weights.roles[role] * weights.kinds[unit.kind];
  if (saidBy !== undefined) factor *= weights.roles[saidBy];
  for (const cue of unit.cues) factor *= weights.cues[cue];
  factor *= 1 + weights.lead / (1 + unit.place);
  // A sentence of few terms is an exclamation or a scrap, unless it answers a question.
  if (unit.answerTo === -1) factor *= weights.thin[unit.terms.length] ?? 1;
  // The fewer sentences a message has, the more each of them counts.
  if (role !== "summary") {
    const length = Math.max(weights.shortTerms, lineTerms[unit.line] ?? 0) / weights.shortTerms;
    factor *= length ** -weights.brevity;
  }
  const isBoilerplate = (said.get(unit.text) ?? 0) >= weights.boilerplateRepeats;
  return isBoilerplate ? factor * weights.boilerplate : factor;
}
