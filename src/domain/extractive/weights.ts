// The numbers that the summarizer picks by.

import type { CueWeights } from "./cues.ts";
import type { ExtractLine } from "./lines.ts";

/** What may be tuned. */
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
  /** What a term that the summary has already is worth. */
  readonly repeated: number;
  /** What more the first sentence of a message is worth; the n-th one has the n-th part of it. */
  readonly lead: number;
  readonly roles: Readonly<Record<ExtractLine["role"], number>>;
  readonly cues: CueWeights;
}

export const WEIGHTS: Weights = {
  frequency: 0.5,
  rarity: 0.5,
  figureTerm: 1.2,
  known: 0.3,
  cost: 0.8,
  repeated: 0,
  lead: 0.1,
  roles: { user: 1, assistant: 0.6, system: 0.4, tool: 0.2, summary: 1.5 },
  cues: {
    decision: 1.15,
    identity: 1.3,
    preference: 1.15,
    figure: 1.15,
    date: 1.1,
    name: 1.1,
    question: 0.7,
    smallTalk: 0.6,
    kinds: { prose: 1, item: 0.8, heading: 0.5, table: 0.4, code: 0.1 },
  },
};
