// Reads conditions as people write them who come from Python: `and`, `or`, `not`, `not in`, `True`,
// `False` and `None` become what CEL spells `&&`, `||`, `!`, `true`, `false` and `null`. Whole
// numbers in lists become doubles, as a list in CEL holds one type. Works on tokens, so that what
// stands in quotes stays as it is.

import { ConditionFault } from "./fault.ts";

/** An expression in CEL, with the way back to what was written. */
export interface CelText {
  readonly text: string;
  /** Gives the place in the written expression of a place in `text`, in UTF-16 code units. */
  readonly placeOf: (position: number) => number;
}

interface Token {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** It stands right in a list that is written out. */
  readonly inList: boolean;
}

/** Replaces what stands from `start` to `end`. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The name that `has` gets inside, as the library's own takes fields that have no value. */
export const HAS = "has_value";

const WORDS = new Map([
  ["and", "&&"],
  ["or", "||"],
  ["True", "true"],
  ["False", "false"],
  ["None", "null"],
]);

// Every alternative ends at one place only, so the time is linear in the text.
const TRIPLE = String.raw`"""(?:[^\\]|\\[\s\S])*?"""|'''(?:[^\\]|\\[\s\S])*?'''`;
const SINGLE = String.raw`"(?:[^"\\\n\r]|\\[\s\S])*"|'(?:[^'\\\n\r]|\\[\s\S])*'`;
const SIGN = String.raw`&&|\|\||[=!<>]=|//|[^\s\w]`;
const TOKEN = new RegExp(String.raw`[bBrR]?(?:${TRIPLE}|${SINGLE})|\w+|${SIGN}`, "y");
const SPACE = /\s*/y;

/** The last token of a value; a bracket behind it takes an element. */
const ENDS_VALUE = /[\w)\]}"']$/;
/** Words that look like the end of a value and are none. */
const OPERATOR_WORDS = new Set(["and", "or", "not", "in"]);
const DIGITS = /^[0-9]+$/;
const OPENING = new Set(["(", "[", "{"]);
const CLOSING = new Set([")", "]", "}"]);
/** What ends the operand of `not`. */
const LOOSE = new Set(["and", "or", "&&", "||", "?", ":", ","]);
/** What ends the operands of `not in`. */
const TIGHT = new Set([...LOOSE, "==", "!=", "<", "<=", ">", ">=", "in", "not", "!"]);

/** Rewrites an expression. Throws ConditionFault for a comment or `//`, which CEL reads as one. */
export function readPythonWords(expression: string): CelText {
  const tokens = tokensOf(expression);
  const edits = tokens.flatMap((token, index) => editsOf(tokens, token, index));
  edits.sort((a, b) => a.start - b.start || a.end - b.end);
  return apply(expression, edits);
}

function tokensOf(expression: string): readonly Token[] {
  const tokens: Token[] = [];
  /** For every open bracket, whether it opens a list. */
  const brackets: boolean[] = [];
  let at = spaceEnd(expression, 0);
  while (at < expression.length) {
    TOKEN.lastIndex = at;
    const text = TOKEN.exec(expression)?.[0] ?? expression.slice(at);
    const before = tokens.at(-1)?.text ?? "";
    refuse(at, text, before);
    const inList = brackets.at(-1) ?? false;
    if (OPENING.has(text)) brackets.push(text === "[" && opensList(before));
    else if (CLOSING.has(text)) brackets.pop();
    tokens.push({ start: at, end: at + text.length, text, inList });
    at = spaceEnd(expression, at + text.length);
  }
  return tokens;
}

/** Refuses what Python has and CEL reads as something else, or says unclearly of. */
function refuse(at: number, text: string, before: string): void {
  if (text === "//") throw new ConditionFault(at, "// is neither a comment nor a division here");
  if (before === ".") return;
  if (text === "is") throw new ConditionFault(at, "is is not supported; use == or !=");
  if (text === "if") throw new ConditionFault(at, "if is not supported; use condition ? a : b");
}

function opensList(before: string): boolean {
  return OPERATOR_WORDS.has(before) || !ENDS_VALUE.test(before);
}

function spaceEnd(expression: string, from: number): number {
  SPACE.lastIndex = from;
  SPACE.exec(expression);
  return SPACE.lastIndex;
}

function editsOf(tokens: readonly Token[], token: Token, index: number): readonly Edit[] {
  // After a dot stands the name of a field, whatever it is.
  if (tokens[index - 1]?.text === ".") return [];
  const { start, end, text } = token;
  if (text === "has" && tokens[index + 1]?.text === "(") return [{ start, end, text: HAS }];
  if (token.inList && DIGITS.test(text) && tokens[index + 1]?.text !== ".") {
    return [insertion(end, ".0")];
  }
  if (text === "not") return notEdits(tokens, token, index);
  const word = WORDS.get(text);
  return word === undefined ? [] : [{ start, end, text: word }];
}

/** In Python `not` binds less than a comparison, in CEL `!` binds more: hence the brackets. */
function notEdits(tokens: readonly Token[], token: Token, index: number): readonly Edit[] {
  const next = tokens[index + 1];
  if (next?.text !== "in") {
    const close = operandEnd(tokens, index + 1, LOOSE);
    return [{ start: token.start, end: token.end, text: "!(" }, insertion(close, ")")];
  }
  return [
    insertion(operandStart(tokens, index - 1), "!("),
    { start: token.start, end: next.start, text: "" },
    insertion(operandEnd(tokens, index + 2, TIGHT), ")"),
  ];
}

function insertion(at: number, text: string): Edit {
  return { start: at, end: at, text };
}

/** Where the operand that begins with this token ends. */
function operandEnd(
  tokens: readonly Token[],
  first: number,
  boundary: ReadonlySet<string>,
): number {
  let depth = 0;
  let end = tokens[first - 1]?.end ?? 0;
  for (const token of tokens.slice(first)) {
    if (OPENING.has(token.text)) depth++;
    else if (CLOSING.has(token.text)) depth--;
    if (depth < 0 || (depth === 0 && boundary.has(token.text))) break;
    end = token.end;
  }
  return end;
}

/** Where the operand that ends with this token starts. */
function operandStart(tokens: readonly Token[], last: number): number {
  let depth = 0;
  let start = tokens[last + 1]?.start ?? 0;
  for (const token of tokens.slice(0, last + 1).reverse()) {
    if (CLOSING.has(token.text)) depth++;
    else if (OPENING.has(token.text)) depth--;
    if (depth < 0 || (depth === 0 && TIGHT.has(token.text))) break;
    start = token.start;
  }
  return start;
}

function apply(expression: string, edits: readonly Edit[]): CelText {
  /** Where pieces start: in the new text, in the written one; and whether they were copied. */
  const pieces: { readonly to: number; readonly from: number; readonly copied: boolean }[] = [];
  let text = "";
  let from = 0;
  for (const edit of edits) {
    pieces.push({ to: text.length, from, copied: true });
    text += expression.slice(from, edit.start);
    pieces.push({ to: text.length, from: edit.start, copied: false });
    text += edit.text;
    from = edit.end;
  }
  pieces.push({ to: text.length, from, copied: true });
  text += expression.slice(from);
  const placeOf = (position: number): number => {
    const piece = pieces.findLast(({ to }) => to <= position);
    if (piece === undefined) return 0;
    const place = piece.copied ? piece.from + position - piece.to : piece.from;
    return Math.min(place, expression.length);
  };
  return { text, placeOf };
}
