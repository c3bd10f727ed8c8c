// Splits a text into words for the static table. The table was made with the same rules, so a
// change here needs a new table. tools/distil/words.py is the same in Python.

/** Text past this many UTF-16 units is not read: 512 words are more than any passage has. */
const CHARS_MAX = 16_384;
/** Words past this many are left out. */
const WORDS_MAX = 512;

const NOT_ASCII = /[^\0-\x7f]/;
const MARKS = /\p{Mn}+/gu;
const POSSESSIVE = /['\u2019]s(?![\p{L}\p{N}_])/gu;
// A Han character is a word of its own.
const WORDS = /[\u3400-\u4dbf\u4e00-\u9fff]|[[\p{L}\p{N}]--[\u3400-\u4dbf\u4e00-\u9fff]]+/gv;

const APOSTROPHE = 0x27;
const SMALL_S = 0x73;

/**
 * The words of a text in order: lower case, without accents and a possessive `'s`. At most 512
 * words of the first 16,384 UTF-16 units.
 */
export function tableWords(text: string): string[] {
  const read = (text.length > CHARS_MAX ? text.slice(0, CHARS_MAX) : text).toLowerCase();
  return NOT_ASCII.test(read) ? unicodeWords(read) : asciiWords(read);
}

function unicodeWords(text: string): string[] {
  const folded = text.normalize("NFKD").replace(MARKS, "").replace(POSSESSIVE, "");
  const words: string[] = [];
  for (const [word] of folded.matchAll(WORDS)) {
    words.push(word);
    if (words.length === WORDS_MAX) break;
  }
  return words;
}

/** The same as unicodeWords for plain ASCII, four times as fast. */
function asciiWords(text: string): string[] {
  const words: string[] = [];
  let start = -1;
  for (let i = 0; i <= text.length; i += 1) {
    if (isWordCode(text.charCodeAt(i))) {
      if (start < 0) start = i;
      continue;
    }
    if (start >= 0) words.push(text.slice(start, i));
    start = -1;
    if (words.length === WORDS_MAX) break;
    if (isPossessive(text, i)) i += 1;
  }
  return words;
}

function isWordCode(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39);
}

function isPossessive(text: string, at: number): boolean {
  if (text.charCodeAt(at) !== APOSTROPHE || text.charCodeAt(at + 1) !== SMALL_S) return false;
  const after = text.charCodeAt(at + 2);
  return !isWordCode(after) && after !== 0x5f;
}
