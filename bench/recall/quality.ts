// Quality of a ranking, and the means over the questions of a set.

/** Measurements of one question. All are shares, 0 to 1. */
export interface Quality {
  /** Share of the evidence among the first 5 hits, and among the first 10. */
  readonly recall5: number;
  readonly recall10: number;
  /** Binary NDCG over the first 10 hits. */
  readonly ndcg10: number;
}

/** The mean of a group of questions. */
export interface QualityMean extends Quality {
  readonly count: number;
}

/** Measures one ranking. A repeated hit counts once, at its first rank. */
export function qualityOf(hits: readonly number[], evidence: readonly number[]): Quality {
  const wanted = new Set(evidence);
  const first = hits.slice(0, 10);
  let gain = 0;
  let found5 = 0;
  let found10 = 0;
  for (const [rank, hit] of first.entries()) {
    if (!wanted.has(hit) || first.indexOf(hit) !== rank) continue;
    gain += discount(rank);
    found10 += 1;
    if (rank < 5) found5 += 1;
  }
  let best = 0;
  for (let rank = 0; rank < Math.min(10, wanted.size); rank++) best += discount(rank);
  const share = (found: number): number => (wanted.size === 0 ? 0 : found / wanted.size);
  return {
    recall5: share(found5),
    recall10: share(found10),
    ndcg10: best === 0 ? 0 : gain / best,
  };
}

/** Converts turns to sessions, each at the rank of its first turn. */
export function bySession(
  turns: readonly number[],
  sessionOf: (turn: number) => number,
): readonly number[] {
  return [...new Set(turns.map(sessionOf))];
}

/** Name of the main figure in a table, distinct from every category. */
export const MAIN_FIGURE = "(main)";

/** Means over questions, by category and for the main figure. */
export interface QualityTable {
  add(category: string, isMain: boolean, quality: Quality): void;
  /** The mean of a category or of the main figure; undefined without questions. */
  mean(name: string): QualityMean | undefined;
  /** The categories by name; numeric ones by value. */
  categories(): string[];
}

/** Makes an empty table. */
export function createQualityTable(): QualityTable {
  const groups = new Map<string, Quality[]>();
  const addTo = (category: string, quality: Quality): void => {
    const group = groups.get(category);
    if (group === undefined) groups.set(category, [quality]);
    else group.push(quality);
  };
  return {
    add: (category, isMain, quality) => {
      addTo(category, quality);
      if (isMain) addTo(MAIN_FIGURE, quality);
    },
    mean: (name) => {
      const group = groups.get(name);
      return group === undefined ? undefined : meanOf(group);
    },
    categories: () => {
      const names = [...groups.keys()].filter((name) => name !== MAIN_FIGURE);
      return names.sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
    },
  };
}

function meanOf(group: readonly Quality[]): QualityMean {
  const of = (read: (one: Quality) => number): number =>
    group.reduce((sum, one) => sum + read(one), 0) / group.length;
  return {
    recall5: of(({ recall5 }) => recall5),
    recall10: of(({ recall10 }) => recall10),
    ndcg10: of(({ ndcg10 }) => ndcg10),
    count: group.length,
  };
}

function discount(rank: number): number {
  return 1 / Math.log2(rank + 2);
}
