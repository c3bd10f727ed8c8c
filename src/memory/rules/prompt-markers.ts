// Neutralizes text that looks like a prompt marker, and leaves it readable.

const LINE_END = /(\r\n|[\n\r\v\f\u0085\u2028\u2029])/u;
/** An indented line is code to a reader of Markdown. */
const INDENTED = /^(?: {4}| {0,3}\t)/u;
const FENCE = /^( {0,3})(`{3,}|~{3,})/u;
const RULED = /^( {0,3})-{3,}(?=[^-])(?=.*[^\s-])/u;
/** The lookbehind keeps it linear: of a run of dashes, only the first may begin a match. */
const RULE_END = /(?<!-)-{3,}(\s*)$/u;
const SPEAKERS = "user|assistant|system|human|ai|tool|function|developer|model|bot";
/** A speaker's label, also behind Markdown marks or invisible characters. */
const LABEL = new RegExp(`^([\\s\\p{Cf}>#*]*(?:${SPEAKERS}))(?=[:：])`, "iu");
/** Beginnings of the tokens of chat templates, and their replacements. */
const TOKENS: readonly (readonly [RegExp, string])[] = [
  [/\[(?=\/?INST\])/giu, "[ "],
  [/<<(?=\/?SYS>>)/giu, "< < "],
  [/<(?=[|｜][^|｜<>]{1,64}[|｜]>)/gu, "< "],
  [/<(?=(?:start_of_turn|end_of_turn|bos|eos)>)/giu, "< "],
];

/** Every marker holds one of these: most lines have none, and are left alone at once. */
const MARKING = /[`~<[:：-]/u;

/** A fence of other marks that look the same. */
function looseFence(_: string, indent: string, marks: string): string {
  return indent + (marks.startsWith("`") ? "ˋ" : "˜").repeat(marks.length);
}

function looseRule(line: string): string {
  return RULED.test(line) ? line.replace(RULED, "$1—").replace(RULE_END, "—$1") : line;
}

/** Fences and ruled lines, which code has too. */
function looseLines(line: string): string {
  return looseRule(line.replace(FENCE, looseFence));
}

function looseTokens(line: string): string {
  let text = line;
  for (const [token, loose] of TOKENS) text = text.replace(token, loose);
  return text;
}

function looseEach(text: string, loosen: (line: string) => string): string {
  const parts = text.split(LINE_END);
  const loose = parts.map((part, index) => {
    if (index % 2 === 1 || !MARKING.test(part)) return part;
    const line = INDENTED.test(part) ? part : loosen(part);
    return line.replace(LABEL, "$1 ");
  });
  return loose.join("");
}

/**
 * A text without working markers of prompts: fences, ruled lines with words, tokens of chat
 * templates, and labels of speakers at the start of a line. In lines that are indented as code only
 * the labels change. Idempotent.
 */
export function neutralizePromptMarkers(text: string): string {
  return looseEach(text, (line) => looseTokens(looseLines(line)));
}

/**
 * The same for a text that stands between marks of its own: fences stay, and lines that are ruled
 * at their beginning only, as in the difference of two files.
 */
export function neutralizeInside(text: string): string {
  return looseEach(text, (line) => looseTokens(RULE_END.test(line) ? looseRule(line) : line));
}
