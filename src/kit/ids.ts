// Ids that the server makes. The random bytes come from the caller: this layer has no randomness.

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const RANDOM_BYTES = 10;
const HALF_BYTES = 5;
const HALF_CHARS = 8;
const TIME_CHARS = 10;

// A base 36 number without leading zeros: 11 digits hold every safe integer.
const MESSAGE_ID = /^m([1-9a-z][0-9a-z]{0,10})-[0-9a-hjkmnp-tv-z]{16}$/;

/** A number in Crockford's base 32, lower case, padded with zeros. */
function base32(value: number, chars: number): string {
  let text = "";
  let rest = value;
  for (let i = 0; i < chars; i++) {
    text = (ALPHABET[rest % 32] ?? "") + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

/** Ten bytes as 16 characters: two halves of 40 bits, which a number holds exactly. */
function randomPart(random: Uint8Array): string {
  if (random.length < RANDOM_BYTES) {
    throw new RangeError(`An id takes ${RANDOM_BYTES} random bytes, not ${random.length}.`);
  }
  let text = "";
  for (let start = 0; start < RANDOM_BYTES; start += HALF_BYTES) {
    let value = 0;
    for (const byte of random.subarray(start, start + HALF_BYTES)) value = value * 256 + byte;
    text += base32(value, HALF_CHARS);
  }
  return text;
}

/**
 * Makes the id of a message that came without one: `m`, the seq in base 36, `-`, and 16 characters
 * of the first 10 random bytes. Throws RangeError when there are fewer.
 */
export function makeMessageId(seq: number, random: Uint8Array): string {
  return `m${seq.toString(36)}-${randomPart(random)}`;
}

/**
 * Reads the seq out of an id that has the form of makeMessageId; undefined for every other id. A
 * caller may send an id of this form too, so compare the whole id with that of the message found.
 */
export function seqOfMessageId(id: string): number | undefined {
  const digits = MESSAGE_ID.exec(id)?.[1];
  if (digits === undefined) return undefined;
  const seq = Number.parseInt(digits, 36);
  return Number.isSafeInteger(seq) ? seq : undefined;
}

/**
 * Makes the id of a session that came without one: a lower case ULID of 26 characters. Ids of
 * different milliseconds sort by time. Throws RangeError when there are fewer than 10 random bytes.
 */
export function makeSessionId(nowMs: number, random: Uint8Array): string {
  return base32(nowMs, TIME_CHARS) + randomPart(random);
}

/**
 * Makes the id of an erasure: a lower case ULID of 26 characters. Ids of different milliseconds
 * sort by time. Throws RangeError when there are fewer than 10 random bytes.
 */
export function makeErasureId(nowMs: number, random: Uint8Array): string {
  return base32(nowMs, TIME_CHARS) + randomPart(random);
}

/**
 * Makes the id of a message that the server makes and that stands in a window only: the kind, `-`,
 * and 16 characters of the first 10 random bytes. Throws RangeError when there are fewer.
 */
export function makeInsertId(kind: "summary" | "result", random: Uint8Array): string {
  return `${kind}-${randomPart(random)}`;
}

/**
 * Makes the id of a memory that came without one: a lower case ULID of 26 characters. Ids of
 * different milliseconds sort by time. Throws RangeError when there are fewer than 10 random bytes.
 */
export function makeMemoryId(nowMs: number, random: Uint8Array): string {
  return base32(nowMs, TIME_CHARS) + randomPart(random);
}
