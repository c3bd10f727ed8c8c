// The weights of the ranking: what each one does, its default, the values it may have and where the
// number comes from. A request may override each by its name.

/** The range, default and meaning of one weight. */
export interface WeightInfo {
  readonly default: number;
  readonly min: number;
  readonly max: number;
  /** The effect of the weight in words: a row of the table in docs/recall.md. */
  readonly meaning: string;
  /** Source of the default. */
  readonly source: string;
}

const MEASURED = "measured over three sets of conversations, kept where no set lost by it";
const UNMEASURED = "not measured: the sets have no such values, so the default changes nothing";
const SHARE = "the item's BM25, as a share of the best BM25 among the candidates";

/** Every weight of the ranking by name. */
export const WEIGHT_TABLE = {
  words: {
    default: 1,
    min: 0,
    max: 10,
    meaning: `times ${SHARE}; of an item of several passages that of the best one`,
    source: "the unit that all other weights are measured in",
  },
  neighbors: {
    default: 1,
    min: 0,
    max: 10,
    meaning:
      "times the same shares of the messages around it, or of the chunks of the same document: " +
      "0.15, 0.3, 0.3 and 0.1 of those at -2, -1, +1 and +2",
    source: MEASURED,
  },
  dense: {
    default: 0.7,
    min: 0,
    max: 10,
    meaning:
      "times the cosine, scaled so that the candidates span 0 to 1, and 0.15 of that of the item " +
      "after it; with vectors alone the weight of the words is added to this one",
    source: `${MEASURED}; as good for a small sentence transformer as for the static embedder`,
  },
  coverage: {
    default: 0.2,
    min: 0,
    max: 10,
    meaning: "times the share of the query's terms in the item, each counted by its rarity",
    source: MEASURED,
  },
  nearWords: {
    default: 0.8,
    min: 0,
    max: 10,
    meaning:
      "times the share of the query's terms, each by its rarity, that the item lacks while it has " +
      "a word near them, times how near it is (a cosine of 0.4 is worth 0.3, one of 0.75 all); in " +
      "hybrid mode, with any embedder but `none`",
    source: `${MEASURED}; 0.5 to 1 do as well`,
  },
  identifier: {
    default: 4,
    min: 0,
    max: 10,
    meaning:
      "added to the only candidate that has an identifier of the query (`ORD-48213`, a path, an " +
      "address, a name of code, the one word of a query), a quarter of it to each of two, a ninth " +
      "to each of three",
    source:
      "chosen so that nothing else outweighs it: 100 of 100 identifiers in long answers come first; " +
      "it changes no R@10 of three sets of conversations by 0.05 or more",
  },
  author: {
    default: 0.6,
    min: 0,
    max: 10,
    meaning:
      "added when the query names the speaker or author, by a word of three letters or more; set it " +
      "to 0 where questions may swap names",
    source: MEASURED,
  },
  userRole: {
    default: 0.6,
    min: 0,
    max: 10,
    meaning:
      "taken off a message that an assistant without a name wrote; set it to 0 to find what the " +
      "model said",
    source: MEASURED,
  },
  length: {
    default: 0.25,
    min: 0,
    max: 10,
    meaning: "taken off per natural logarithm of the item's words over 60; nothing up to 60 words",
    source: MEASURED,
  },
  question: {
    default: 0.2,
    min: 0,
    max: 10,
    meaning: "taken off an item that ends as a question",
    source: MEASURED,
  },
  date: {
    default: 0.9,
    min: 0,
    max: 10,
    meaning:
      "added when the query states the item's day or third of a month; 0.7 of it for its month, " +
      "up to 0.5 of it for a day within four",
    source: MEASURED,
  },
  recency: {
    default: 0,
    min: 0,
    max: 10,
    meaning: "added to an item as new as `reference_time`; halves with every half-life of age",
    source: "measured: any decay lowers or does not change recall, so it is off",
  },
  /** In days. */
  recencyHalfLife: {
    default: 30,
    min: 0.001,
    max: 36_500,
    meaning: "days in which the recency part halves",
    source: UNMEASURED,
  },
  importance: {
    default: 0,
    min: 0,
    max: 10,
    meaning: "times the importance that the writer gave, 0 to 1; 0.5 where nothing was said",
    source: UNMEASURED,
  },
  trust: {
    default: 0,
    min: 0,
    max: 10,
    meaning: "times the trust in the item's source: 0 low, 0.5 medium, 1 high",
    source: UNMEASURED,
  },
  session: {
    default: 0.5,
    min: 0,
    max: 10,
    meaning:
      "times how well its session fits: BM25 of the best item, half of the second and a quarter " +
      "of the third, as a share of the best session; a memory stands for itself",
    source: MEASURED,
  },
  confidence: {
    default: 0,
    min: 0,
    max: 10,
    meaning: "times the confidence of a memory, 0 to 1",
    source: UNMEASURED,
  },
  facts: {
    default: 0.3,
    min: 0,
    max: 10,
    meaning:
      "times how well a memory fits that names the message as its source: by words and vector, as a " +
      "share of the memory that fits best, times the share of the query's terms in it (with " +
      "vectors alone, its cosine), over the root of the number of messages that it names",
    source:
      "chosen; with the memories that rules find in three sets of conversations, it changes R@10 " +
      "by at most 0.12 on any of them",
  },
  entities: {
    default: 0.3,
    min: 0,
    max: 10,
    meaning:
      "added to a memory about an entity that the query names; a half of it to one about what " +
      "stands in a relation to that entity",
    source: "chosen, not measured: without memories it changes nothing",
  },
} as const satisfies Record<string, WeightInfo>;

/** The name of one weight. */
export type WeightName = keyof typeof WEIGHT_TABLE;

/** A feature that has a weight of its own name. */
export type WeightedFeature = Exclude<WeightName, "recencyHalfLife">;

/** A value for every weight. */
export type RecallWeights = Readonly<Record<WeightName, number>>;

/** The names of all weights, in the order of the table. */
export const WEIGHT_NAMES = Object.keys(WEIGHT_TABLE) as readonly WeightName[];

/** The weights of a request that overrides none. */
export const DEFAULT_WEIGHTS: RecallWeights = weightsWith({});

/** Gives the default weights with some replaced; values are expected to be within their range. */
export function weightsWith(overrides: Partial<RecallWeights>): RecallWeights {
  const entries = WEIGHT_NAMES.map((name) => [name, overrides[name] ?? WEIGHT_TABLE[name].default]);
  return Object.fromEntries(entries) as RecallWeights;
}

/**
 * Shares of the word scores of the items at -2, -1, +1 and +2 that an item gets.
 * An answer often stands right after the question that has the query's words.
 */
export const NEIGHBOR_SHARES = [0.15, 0.3, 0.3, 0.1] as const;

/** The same for the scores of their vectors. */
export const DENSE_NEIGHBOR_SHARES = [0, 0, 0.15, 0] as const;

/** Damping constant of reciprocal rank fusion: a leg gives 1 / (60 + rank). */
export const RECIPROCAL_RANK_K = 60;

/**
 * Number of candidates that each leg contributes if both are requested, before their neighbors are
 * added: twice as many change the mean R@10 of the sets by 0.1 and take twice as long.
 */
export const POOL_PER_LEG = 50;

/** The same for one leg alone, where it is worth 0.6, and for answers that may hold more. */
export const WIDE_POOL_PER_LEG = 100;

/** The candidates of each leg for pages of `limit`; more when hits are grouped or reranked. */
export function poolPerLeg(limit: number, isWhole: boolean): number {
  const isWide = isWhole || limit > POOL_PER_LEG;
  return Math.max(limit, isWide ? WIDE_POOL_PER_LEG : POOL_PER_LEG);
}

/** Reach of a candidate's own neighbors: one item before and one after. */
export const POOL_NEIGHBORS = 1;
