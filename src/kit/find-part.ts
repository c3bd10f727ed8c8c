// Finds a text in another one in time linear in both, whatever they hold.
//
// V8 searches by the algorithm of R. S. Boyer and J S. Moore, with tables of at most the last 250
// characters of what it looks for (kBMMaxShift in its string-search.h). A part as short as that is
// found, or not, after a few steps for each character of the text. With a longer one, V8 may
// compare each character of the text with each of the part, which takes seconds.

/** The longest part that V8 finds in linear time. */
const SHORT_CHARS = 250;

/** As `text.indexOf(part, from)`, in UTF-16 code units. */
export function placeOfPart(text: string, part: string, from = 0): number {
  if (part.length <= SHORT_CHARS) return text.indexOf(part, from);
  if (text.length - from < part.length) return -1;
  // Few texts hold the beginning, so most need nothing else.
  const start = text.indexOf(part.slice(0, SHORT_CHARS), from);
  return start === -1 ? -1 : placeOfLong(text, part, start);
}

/** As `text.includes(part)`. */
export function holdsPart(text: string, part: string): boolean {
  return placeOfPart(text, part) !== -1;
}

/** The algorithm of D. E. Knuth, J. H. Morris and V. R. Pratt: the text is read once. */
function placeOfLong(text: string, part: string, from: number): number {
  const units = new Uint16Array(part.length);
  for (let at = 0; at < part.length; at++) units[at] = part.charCodeAt(at);
  const fallbacks = fallbacksOf(units);
  let same = 0;
  for (let at = from; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    while (same >= 0 && units[same] !== unit) same = fallbacks[same] ?? -1;
    same += 1;
    if (same === part.length) return at + 1 - same;
  }
  return -1;
}

/**
 * The failure table: where to go on in the part when the text differs from it at a place, or -1 to
 * go on with the next unit of the text. Places that would differ in the same way are left out.
 */
function fallbacksOf(units: Uint16Array): Int32Array {
  const fallbacks = new Int32Array(units.length).fill(-1, 0, 1);
  let same = 0;
  for (let at = 1; at < units.length; at++) {
    const unit = units[at];
    fallbacks[at] = unit === units[same] ? (fallbacks[same] ?? -1) : same;
    while (same >= 0 && units[same] !== unit) same = fallbacks[same] ?? -1;
    same += 1;
  }
  return fallbacks;
}
