// A message may cost a fraction of a token, in quarters. Its public form says whole tokens; the
// quarters follow the public form as a last field that only stores know.

/** Quarters per token. */
export const QUARTERS = 4;

/** The tag of field 24 of a message, a number, as two bytes. No public field has this number. */
const TAG = [0xc0, 0x01] as const;
const TAIL_BYTES = TAG.length + 1;

/** Gives the stored form of a message that costs so many tokens. */
export function withQuarters(message: Uint8Array, tokenCount: number): Uint8Array {
  const quarters = (tokenCount - Math.floor(tokenCount)) * QUARTERS;
  return quarters === 0 ? message : Buffer.concat([message, Buffer.from([...TAG, quarters])]);
}

/**
 * Gives the quarters that a stored message costs beyond its whole tokens. The last bytes of a
 * public form are never taken for them: it ends with text or JSON, and no UTF-8 holds the first of
 * these bytes, or with a time or an enum, whose last bytes differ.
 */
export function quartersOf(stored: Uint8Array): number {
  const at = stored.length - TAIL_BYTES;
  return stored[at] === TAG[0] && stored[at + 1] === TAG[1] ? (stored[at + 2] ?? 0) : 0;
}

/** Gives the public form of a stored message. */
export function publicMessage(stored: Uint8Array): Uint8Array {
  return quartersOf(stored) === 0 ? stored : stored.subarray(0, stored.length - TAIL_BYTES);
}
