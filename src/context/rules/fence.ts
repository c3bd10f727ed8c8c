// Marks that say that what stands between them is data. They are the same for the same content;
// what stands between them cannot close them.

import { neutralizeInside } from "../../memory/rules/prompt-markers.ts";
import { lowestTrust, TRUST, type Trust } from "../../summary/rules/summary.ts";
import type { BlockFence, ContextSectionKind } from "./types.ts";

const SOURCES: Readonly<Record<ContextSectionKind, string>> = {
  summary: "summary",
  "long-term": "memory",
  entities: "memory",
  relations: "memory",
  episodes: "memory",
  "recalled-messages": "messages",
  documents: "documents",
  conversation: "messages",
  "daily-log": "memory",
};

const TRUST_NAMES = { [TRUST.low]: "low", [TRUST.medium]: "medium", [TRUST.high]: "high" } as const;

/** The mark behind the content of a section. */
export const FENCE_CLOSE = "</data>";

/** The mark before the content of a section: its source, and the lowest trust in it. */
export function fenceOpen(kind: ContextSectionKind, trusts: readonly Trust[]): string {
  return `<data source="${SOURCES[kind]}" trust="${TRUST_NAMES[lowestTrust(trusts)]}">`;
}

/** Characters that only some readers take for the end of a line. */
const LINE_ENDS = /\r\n?|[\u2028\u2029]/gu;
const SPACES = /[\v\f\u0085]/gu;
/** Control characters, but for tabs and line ends: terminals obey them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const CONTROLS = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f]/gu;
/** Marks, overrides and isolates of the direction of writing: a reader sees another order. */
const DIRECTIONS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
/** Zero-width characters, fillers, and the tags and selectors that can spell a hidden text. */
const INVISIBLE = new RegExp(
  "[\\u00ad\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b\\u2060-\\u2065\\u206a-\\u206f" +
    "\\u3164\\ufe00-\\ufe0d\\ufeff\\uffa0\\ufff0-\\ufffb" +
    "\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}]",
  "gu",
);
/** Scripts that need joiners, and what emoji are made of. */
const JOINED = [
  ...["Arabic", "Syriac", "Devanagari", "Bengali", "Gurmukhi", "Gujarati", "Oriya", "Tamil"],
  ...["Telugu", "Kannada", "Malayalam", "Sinhala", "Khmer", "Myanmar", "Tibetan", "Mongolian"],
]
  .map((script) => `\\p{Script=${script}}`)
  .join("");
const EMOJI = "\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f";
/** Joiners, and the selectors of emoji, where they join and select nothing. */
const STRAY = new RegExp(
  `(?<![${JOINED}${EMOJI}])[\\u200c\\u200d]|[\\u200c\\u200d](?![${JOINED}${EMOJI}])` +
    "|(?<![\\p{Extended_Pictographic}\\p{Emoji_Modifier}0-9#*])[\\ufe0e\\ufe0f]",
  "gu",
);

/**
 * A text in which everything is seen, and where it stands: without control characters, invisible
 * ones and those of direction. Joiners stay in scripts and emoji that need them. Idempotent.
 */
export function withoutUnseen(text: string): string {
  const seen = text
    .replace(LINE_ENDS, "\n")
    .replace(SPACES, " ")
    .replace(CONTROLS, "")
    .replace(DIRECTIONS, "")
    .replace(INVISIBLE, "");
  // Removing one may leave another without its neighbor.
  const kept = seen.replace(STRAY, "");
  return kept === seen ? kept : withoutUnseen(kept);
}

/** Invisible characters, and marks that stand on top of a letter. */
const UNSEEN = "\\p{Cf}\\p{M}\\p{Default_Ignorable_Code_Point}";
const BETWEEN = `[${UNSEEN}]*`;

/** Brackets that open a tag, of any form. */
const BRACKETS = "<＜﹤‹〈\u2329⟨❮❬";
const SLASHES = "/\\\\／⁄∕";

/** Characters that look the same as one of a mark, besides its wide form. */
const LOOKALIKES: Readonly<Record<string, string>> = {
  ...{ a: "а", b: "в", c: "с", d: "ԁ", e: "е", h: "һн", i: "іı", j: "ј", k: "к", m: "м", o: "оο" },
  ...{ p: "рρ", q: "ԛ", s: "ѕ", t: "т", v: "ν", w: "ԝ", x: "хχ", y: "у" },
  ...{
    "<": BRACKETS,
    ">": ">＞﹥›〉\u232a⟩❯❭",
    "/": SLASHES,
    "`": "ˋ",
    "-": "‐‑‒–—−﹣",
    "=": "゠",
  },
};

/** The distance from a printable ASCII character to its wide form. */
const WIDE = 0xfee0;

/** A class of the characters that pass for one. */
function looseChar(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  const wide = code > 0x20 && code < 0x7f ? String.fromCodePoint(code + WIDE) : "";
  const alike = LOOKALIKES[char.toLowerCase()] ?? "";
  return `[${char.replace(/[\\\]^-]/u, "\\$&")}${wide}${alike}]`;
}

/** A pattern of a text, whatever invisible stands in between; spaces may be any, or none. */
function looseText(text: string): readonly string[] {
  const words = text.split(/\s+/u).map((word) => [...word].map(looseChar));
  return words.flatMap((chars, word) =>
    chars.map((char, index) => {
      const between = index > 0 ? BETWEEN : word > 0 ? `[\\s${UNSEEN}]*` : "";
      return `${between}${char}`;
    }),
  );
}

/** The bracket before a name, whatever invisible stands in between. */
function tagPattern(tag: string): RegExp {
  const rest = `[\\s${UNSEEN}${SLASHES}]*${looseText(tag).join("")}`;
  return new RegExp(`[${BRACKETS}](?=${rest})`, "giu");
}

/** The mark of sections. */
const MARK = tagPattern("data");

/**
 * Takes the power out of marks in a text: its own, those of chat formats, and labels of speakers.
 * Code stays as it is. Idempotent.
 */
export function withoutMarks(text: string): string {
  return neutralizeInside(text).replace(MARK, "(");
}

// Marks of blocks, which a request chooses.

/** The marks before and behind the text of a block with the lowest trust in it. */
export function blockMarks(
  fence: BlockFence,
  trusts: readonly Trust[],
): { readonly open: string; readonly close: string } {
  if (fence.kind === "lines") return fence;
  const { tag } = fence;
  return { open: `<${tag} trust="${TRUST_NAMES[lowestTrust(trusts)]}">`, close: `</${tag}>` };
}

/** The first character of whatever passes for a mark. */
function patternsOf(fence: BlockFence): readonly RegExp[] {
  if (fence.kind === "tag") return [tagPattern(fence.tag)];
  return [fence.open, fence.close].map((line) => {
    const [first, ...rest] = looseText(line);
    return new RegExp(`${first}(?=${rest.join("")})`, "giu");
  });
}

/** Characters that break a mark, the most readable first. */
const BREAKS = [..."(*_~:;+%&!?^|.,¡¢£¤¥¦§¨©ª«¬®¯°±²³´µ¶·¸¹º»¼½¾¿"];

/**
 * Takes the power out of what passes for a mark of a block, so that its content cannot close it or
 * open another. The length stays the same. Idempotent.
 */
export function withoutBlockMarks(text: string, fence: BlockFence): string {
  const { open, close } = blockMarks(fence, []);
  const used = `${open}${close}`.normalize("NFKC");
  const other = BREAKS.find((one) => !used.includes(one)) ?? "·";
  return patternsOf(fence).reduce(
    (safe, pattern) => safe.replace(pattern, (found) => other.repeat(found.length)),
    text,
  );
}
