// Ids of messages as numbers: memories name the messages they come from, and an index of millions
// of messages has no room for their ids as texts.

const PRIME = 0x01000193;
const LOW_BITS = 21;

/**
 * Gives a number of 53 bits for an id, never 0. Two ids share one by a chance so small that nobody
 * meets it; then a message is ranked a little too high.
 */
export function idHash(id: string): number {
  let high = 0x811c9dc5;
  let low = 0x1b873593;
  for (let at = 0; at < id.length; at++) {
    const unit = id.charCodeAt(at);
    high = Math.imul(high ^ unit, PRIME);
    low = Math.imul(low ^ unit ^ (high >>> 15), 0x85ebca6b);
  }
  low ^= low >>> 13;
  return (high >>> 0) * 2 ** LOW_BITS + (low >>> (32 - LOW_BITS)) || 1;
}
