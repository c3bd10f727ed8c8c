// Finds the words of a text by their place: for terms, and for the cutting into passages.
//
// A table of the classes of UTF-16 units, filled as units are met, makes this several times as fast
// as regular expressions with Unicode classes.

/** The kind of a chunk. */
export type ChunkKind = typeof WORD_CHUNK | typeof RUN_CHUNK | typeof EMOJI_CHUNK;

/** Letters and digits, with single marks between them: a word, a number, a name of code, a path. */
export const WORD_CHUNK = 1;
/** A run of characters of a script that writes no spaces between words. */
export const RUN_CHUNK = 2;
/** One emoji, or the two letters of a flag. */
export const EMOJI_CHUNK = 3;

const OTHER = 1;
const LETTER = 2;
const DIGIT = 3;
const MARK = 4;
/** Joins what stands on both sides of it: the parts and the whole are terms. */
const JOINER = 5;
/** Joins digits only. */
const COLON = 6;
const COMMA = 7;
/** Is inside of a word and says nothing, as a soft hyphen. */
const SILENT = 8;
const EMOJI = 9;
const FLAG = 10;
/** From here on: scripts without spaces. Han and kana make one run. */
const HAN = 11;
const KANA = 12;
const HANGUL = 13;
const SOUTH_EAST = 14;

const JOINERS = "'’_./\\@&+-\u2010\u2011\uff07";
const SILENTS = "\u00ad\u200c\u200d\u2060\ufeff";
const KANA_MARKS = "ー々〆ヽヾゝゞ\uff70\uff9e\uff9f";

const classes = new Uint8Array(0x10000);

function classOf(text: string, place: number): number {
  const unit = text.charCodeAt(place);
  const known = classes[unit] ?? OTHER;
  if (known !== 0) return known;
  const isSurrogate = unit >= 0xd800 && unit <= 0xdfff;
  // Of a pair the class is that of the pair; a lone half is no character.
  if (isSurrogate)
    return widthAt(text, place) === 2 ? classify(text.slice(place, place + 2)) : OTHER;
  const found = classify(text.charAt(place));
  classes[unit] = found;
  return found;
}

function classify(char: string): number {
  if (JOINERS.includes(char)) return JOINER;
  if (char === ":") return COLON;
  if (char === ",") return COMMA;
  if (SILENTS.includes(char)) return SILENT;
  if (KANA_MARKS.includes(char) || /[\p{sc=Hira}\p{sc=Kana}]/u.test(char)) return KANA;
  if (/\p{sc=Han}/u.test(char)) return /\p{L}/u.test(char) ? HAN : OTHER;
  if (/\p{sc=Hang}/u.test(char)) return HANGUL;
  if (/[\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/u.test(char)) {
    return /[\p{L}\p{M}\p{N}]/u.test(char) ? SOUTH_EAST : OTHER;
  }
  if (/\p{L}/u.test(char)) return LETTER;
  if (/\p{N}/u.test(char)) return DIGIT;
  if (/\p{Regional_Indicator}/u.test(char)) return FLAG;
  if (/\p{Emoji_Modifier}/u.test(char)) return OTHER;
  if (/\p{Extended_Pictographic}/u.test(char)) return char >= "\u2300" ? EMOJI : OTHER;
  // The marks that choose between the picture and the text of an emoji are none of a word.
  if (/[\ufe00-\ufe0f\u20d0-\u20f0]/.test(char)) return OTHER;
  return /\p{M}/u.test(char) ? MARK : OTHER;
}

/** UTF-16 units of the character at a position: two for a surrogate pair. */
export function widthAt(text: string, place: number): number {
  const unit = text.charCodeAt(place);
  if (unit < 0xd800 || unit > 0xdbff) return 1;
  const next = text.charCodeAt(place + 1);
  return next >= 0xdc00 && next <= 0xdfff ? 2 : 1;
}

/** Whether the character at a place is a Han character, which may be a word by itself. */
export function isHanAt(text: string, place: number): boolean {
  return classOf(text, place) === HAN;
}

/** Gives every chunk of a text to `visit`, in order, as places in UTF-16 units. */
export function forEachChunk(
  text: string,
  visit: (start: number, end: number, kind: ChunkKind) => void,
): void {
  const length = text.length;
  for (let place = 0; place < length; ) {
    const found = classOf(text, place);
    if (found === LETTER || found === DIGIT) {
      const end = wordEnd(text, place);
      visit(place, end, WORD_CHUNK);
      place = end;
    } else if (found >= HAN) {
      const end = runEnd(text, place, found);
      visit(place, end, RUN_CHUNK);
      place = end;
    } else if (found === EMOJI || found === FLAG) {
      const isPair = found === FLAG && classOf(text, place + 2) === FLAG;
      const end = place + widthAt(text, place) + (isPair ? 2 : 0);
      visit(place, end, EMOJI_CHUNK);
      place = end;
    } else {
      place += widthAt(text, place);
    }
  }
}

function wordEnd(text: string, start: number): number {
  const length = text.length;
  let place = start;
  let last = 0;
  while (place < length) {
    const found = classOf(text, place);
    if (found === LETTER || found === DIGIT) last = found;
    else if (found !== MARK && !joinsAt(text, place, found, last)) break;
    place += found === LETTER || found === DIGIT || found === MARK ? widthAt(text, place) : 1;
  }
  return place - start === 1 && last === LETTER ? languageEnd(text, place) : place;
}

/** Whether a word goes on behind what is no letter: `last` is the class before it. */
function joinsAt(text: string, place: number, found: number, last: number): boolean {
  if (found < JOINER || found > SILENT || place + 1 >= text.length) return false;
  const next = classOf(text, place + 1);
  if (found === JOINER || found === SILENT) return next === LETTER || next === DIGIT;
  if (last !== DIGIT || next !== DIGIT) return false;
  return found === COLON || isGroupAt(text, place + 1);
}

/** Whether just three digits stand at a place, as behind the comma of 1,000. */
function isGroupAt(text: string, place: number): boolean {
  for (let i = place; i < place + 3; i++) {
    if (i >= text.length || classOf(text, i) !== DIGIT) return false;
  }
  return place + 3 >= text.length || classOf(text, place + 3) !== DIGIT;
}

/** The end of the name of a language such as C++ or C#, whose letter ends at a place. */
function languageEnd(text: string, place: number): number {
  if (text.startsWith("++", place)) return place + 2;
  if (text.charAt(place) !== "#" || place + 1 >= text.length) {
    return text.charAt(place) === "#" ? place + 1 : place;
  }
  const next = classOf(text, place + 1);
  return next === LETTER || next === DIGIT ? place : place + 1;
}

function runEnd(text: string, start: number, first: number): number {
  const group = groupOf(first);
  let place = start + widthAt(text, start);
  while (place < text.length) {
    const found = classOf(text, place);
    const isPart = found === MARK || (found >= HAN && groupOf(found) === group);
    if (!isPart) break;
    place += widthAt(text, place);
  }
  return place;
}

function groupOf(found: number): number {
  return found === HAN ? KANA : found;
}
