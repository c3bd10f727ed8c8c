// The weights of the summarizer.

import type { Cue } from "./cues.ts";
import type { ExtractLine } from "./lines.ts";
import type { SentenceKind } from "./sentences.ts";

/** Tunable parameters. */
export interface Weights {
  /** Exponent of the frequency of a term. */
  readonly frequency: number;
  /** Exponent of the inverse frequency of a term over the lines. */
  readonly rarity: number;
  /** Factor of terms that are numbers. */
  readonly figureTerm: number;
  /** Factor of terms that the reader knows from a text that stays beside the summary. */
  readonly known: number;
  /** Exponent of the cost that the worth of a sentence is divided by: 1 is worth by the byte. */
  readonly cost: number;
  /** Bonus of the first sentence of a message; the n-th sentence gets 1/n of it. */
  readonly lead: number;
  /** Factors of sentences of no term, one term and so on; 1 for those with more. */
  readonly thin: readonly number[];
  /** Exponent of the length of a message that the worth of its sentences is divided by. */
  readonly brevity: number;
  /** Messages of up to this many terms are short. */
  readonly shortTerms: number;
  /** A sentence that is said this often is boilerplate, with the factor of that name. */
  readonly boilerplateRepeats: number;
  readonly boilerplate: number;
  readonly roles: Readonly<Record<ExtractLine["role"], number>>;
  readonly kinds: Readonly<Record<SentenceKind, number>>;
  readonly cues: Readonly<Record<Cue, number>>;
}

/**
 * The weights in use. They were searched at random for what bench/summaries measures, on every two
 * of its three sets; those found did as well on the third set as those found with it. `frequency`,
 * `rarity`, `cost`, `brevity`, `shortTerms` and `thin` were searched again on parts of all three,
 * when sentences came to be kept whole. Here they are rounded. Set by hand, at the price of a point
 * or less: `known`, code and small talk, so that the text reads well. The cues matter little to
 * that measure: they settle near ties.
 */
export const WEIGHTS: Weights = {
  frequency: 0.8,
  rarity: 0.2,
  figureTerm: 1.05,
  known: 0.3,
  cost: 0.75,
  lead: 0.1,
  thin: [1, 0.3, 0.6, 0.9],
  brevity: 0.45,
  shortTerms: 24,
  boilerplateRepeats: 3,
  boilerplate: 0.8,
  // A summary stands for many messages; tool output is rarely needed again. A line of a summary
  // that names a role has the factors of both.
  roles: { user: 1, assistant: 0.4, system: 0.4, tool: 0.2, summary: 1.5 },
  kinds: { prose: 1, item: 1, heading: 0.8, table: 0.7, code: 0.6, scrap: 0 },
  cues: {
    decision: 1.1,
    identity: 1.1,
    preference: 1.05,
    figure: 1.1,
    date: 1.15,
    name: 1.05,
    question: 0.9,
    smallTalk: 0.35,
  },
};
