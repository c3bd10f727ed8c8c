// Makes forms of the same word the same text.

/** The longest term, in UTF-16 units. */
export const TERM_CHARS = 64;

const SUM_CHARS = 8;

// Accents of Latin, Greek and Cyrillic, points of Hebrew and Arabic. The marks of other scripts
// are letters in all but name.
const ACCENTS =
  /[\u0300-\u036f]|[\u0591-\u05c2]|[\u064b-\u0655]|\u0670|[\u1ab0-\u1aff]|[\u1dc0-\u1dff]/g;
const SILENTS = /(?:\u200d|[\u00ad\u0640\u200c\u2060\ufeff]|[\ufe00-\ufe0f])+/g;

// Letters that no decomposition takes apart.
const LETTERS: ReadonlyMap<string, string> = new Map([
  ...[["ß", "ss"] as const, ["ẞ", "SS"] as const, ["æ", "ae"] as const, ["Æ", "AE"] as const],
  ...[["œ", "oe"] as const, ["Œ", "OE"] as const, ["ø", "o"] as const, ["Ø", "O"] as const],
  ...[["ł", "l"] as const, ["Ł", "L"] as const, ["đ", "d"] as const, ["Đ", "D"] as const],
  ...[["ð", "d"] as const, ["Ð", "D"] as const, ["þ", "th"] as const, ["Þ", "TH"] as const],
  ...[["ı", "i"] as const, ["’", "'"] as const, ["ʼ", "'"] as const],
  ...[["‐", "-"] as const, ["‑", "-"] as const, ["ς", "σ"] as const],
]);
const HAS_LETTER = new RegExp(`[${[...LETTERS.keys()].join("")}]`, "gu");

// A range that begins with the lowest unit, which is all that says "ASCII" without a control.
const NOT_ASCII = /[^\p{ASCII}]/u;

/**
 * Takes compatibility forms and accents away and keeps the case, on which the parts of a name of
 * code depend. Folded text stays as it is when it is folded again.
 */
export function fold(text: string): string {
  if (!NOT_ASCII.test(text)) return text;
  const bare = text.normalize("NFKD").replace(ACCENTS, "").replace(SILENTS, "");
  return bare.replace(HAS_LETTER, (char) => LETTERS.get(char) ?? char).normalize("NFC");
}

/** Folds a text and gives it in lower case. */
export function foldLower(text: string): string {
  const lower = fold(text).toLowerCase();
  // Some capitals have an accent in lower case only, and a last sigma has a form of its own.
  return NOT_ASCII.test(lower) ? fold(lower) : lower;
}

/** Shortens what is longer than TERM_CHARS to its start and a checksum of the whole. */
export function clipped(term: string): string {
  if (term.length <= TERM_CHARS) return term;
  let end = TERM_CHARS - SUM_CHARS - 1;
  const last = term.charCodeAt(end - 1);
  if (last >= 0xd800 && last <= 0xdbff) end -= 1;
  return `${term.slice(0, end)}#${checksum(term)}`;
}

/** FNV-1a over UTF-16 units. */
function checksum(text: string): string {
  let sum = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) sum = Math.imul(sum ^ text.charCodeAt(i), 0x01000193);
  return (sum >>> 0).toString(16).padStart(SUM_CHARS, "0");
}

/**
 * Gives a text that shares no memory with the one it was cut out of. V8 keeps a whole text alive
 * for a part of it, unless the part is short.
 */
export function ownCopy(part: string): string {
  return part.length < 13 ? part : part.split("").join("");
}
