// Divides a budget among sections by their shares.

/** What a section wants of a budget. */
export interface Want {
  readonly share: number;
  /** What all of it costs. */
  readonly cost: number;
}

/** The order in which sections get what others leave: the highest share first. */
export function byShare(shares: readonly number[]): readonly number[] {
  const order = shares.map((_, index) => index);
  return order.sort((a, b) => (shares[b] ?? 0) - (shares[a] ?? 0) || a - b);
}

/**
 * Says how much of a budget each section may take. Shares are scaled down when they are more than 1
 * together. What a section leaves of its share, and what no share names, goes to the others, those
 * with the highest shares first. Never more than the budget in all.
 */
export function divide(wants: readonly Want[], budget: number): readonly number[] {
  const total = wants.reduce((sum, { share }) => sum + share, 0);
  const scale = total > 1 ? 1 / total : 1;
  const room = Math.max(0, budget);
  const given = wants.map(({ share, cost }) => Math.min(cost, share * scale * room));
  let left = room - given.reduce((sum, one) => sum + one, 0);
  for (const index of byShare(wants.map(({ share }) => share))) {
    const more = Math.min((wants[index]?.cost ?? 0) - (given[index] ?? 0), left);
    if (more <= 0) continue;
    given[index] = (given[index] ?? 0) + more;
    left -= more;
  }
  return given;
}
