// Ranks containers (sessions, collections) by the hits in them.

// One very good hit is worth more than many fair ones, but two good ones beat one.
const SHARES = [1, 0.5, 0.25];

/** A hit as the grouping reads it. */
export interface GroupHit {
  readonly container: number;
  readonly score: number;
}

/** A container with its hits. */
export interface HitGroup {
  readonly container: number;
  /** Best score + half of the second + a quarter of the third. */
  readonly score: number;
  /** Indexes into the given hits, best first. */
  readonly members: readonly number[];
}

/**
 * Groups hits, best first, by their container, and sorts the groups by score; equal scores by the
 * container's number. Scores below 0 count as 0, so that a further hit never lowers its group.
 */
export function groupHits(hits: readonly GroupHit[]): HitGroup[] {
  const members = Map.groupBy(hits.keys(), (index) => hits[index]?.container ?? 0);
  const groups = [...members].map(([container, list]) => {
    const sorted = list.sort((a, b) => scoreAt(hits, b) - scoreAt(hits, a) || a - b);
    let score = 0;
    for (const [place, share] of SHARES.entries()) {
      const index = sorted[place];
      if (index !== undefined) score += share * Math.max(0, scoreAt(hits, index));
    }
    return { container, score, members: sorted };
  });
  return groups.sort((a, b) => b.score - a.score || a.container - b.container);
}

function scoreAt(hits: readonly GroupHit[], index: number): number {
  return hits[index]?.score ?? 0;
}
