// Distinguishes code and tables from prose, line by line. A part of a statement can say the
// opposite of the whole, so neither is ever cut.

/** Longer lines are ignored: they are data, or text without line ends. */
const LINE_CHARS = 1_000;

/** Evidence for code: a `strong` line is code by itself, a `weak` one only beside other code. */
type Look = "strong" | "weak" | "none";

const STRONG: readonly RegExp[] = [
  /^(?:SELECT|INSERT INTO|DELETE FROM|UPDATE \S+ SET|WITH \w+ AS|(?:CREATE|ALTER|DROP) [A-Z]+) /,
  /[(){}=[\]<>].*[;{]$/,
  /^(?:\$ [a-z]|>>> |#!\/|\/\/ |\/\*|#include\b)/,
  /^<\/?[a-z][^<>]*>(?:.*<\/[a-z]+>)?$/,
  /^[}\])]+[;,)]*$/,
  /^(?:(?:export|async|public|private|static) )*(?:const|let|var|function|class|def) \w+.*[({=:]/,
  /^(?:import [\w{*].* from ['"]|from [\w.]+ import \w)/,
  /^(?:if|for|while|switch|catch) ?\(.*[{)]$/,
];
const WEAK: readonly RegExp[] = [
  /^[\w.$'"[\]-]+ ?[-+*/|&:]?= ?\S/,
  /^\[[\w.-]+\]$/,
  /^[\w.$]+\(.*\)[;,:]?$/,
  /^(?:if|for|while|elif|else|try|except|with)\b.*:$/,
  /^(?:return|import|raise|throw|yield|await|echo|npm|pip|git|docker|kubectl|curl) ?\S*$/,
  /^return [^.!?]*[\w)\]}]$/,
  /^(?:FROM|WHERE|AND|OR|SET|VALUES|JOIN|ON|GROUP BY|ORDER BY|HAVING|LIMIT|UNION|RETURNING)\b/,
  /^(?:LEFT|RIGHT|INNER|OUTER|CROSS|FULL) JOIN\b/,
  /^(?:select|insert into|delete from|update \S+ set|from|where|values)\b/,
];
const PROSE = /[\p{L}\p{N})][.!?] +\p{Lu}/u;
const LIST = /^(?:[-*+•]|\d{1,3}[.)])\s/;

function lookOf(whole: string): Look {
  if (whole.length > LINE_CHARS) return "none";
  const line = whole.trim();
  if (line === "" || LIST.test(line)) return "none";
  if (PROSE.test(line) && !/[;{]$/.test(line)) return "none";
  if (STRONG.some((pattern) => pattern.test(line))) return "strong";
  return WEAK.some((pattern) => pattern.test(line)) ? "weak" : "none";
}

/** Number of lines of code from a place on. A single line needs stronger evidence than two. */
export function codeLinesAt(lines: readonly string[], start: number): number {
  const first = lookOf(lines[start] ?? "");
  if (first === "none") return 0;
  if (first === "weak" && !goesOn(lines, start + 1)) return 0;
  let end = start + 1;
  while (end < lines.length && goesOn(lines, end)) end += 1;
  return end - start;
}

/** Whether a line belongs to the code before it. */
function goesOn(lines: readonly string[], place: number): boolean {
  const line = lines[place] ?? "";
  if (line.trim() === "") return false;
  if (lookOf(line) !== "none") return true;
  const before = (lines[place - 1] ?? "").slice(-LINE_CHARS).trimEnd();
  const isIndented = /^(?: {2,}|\t)/.test(line) && !LIST.test(line.trim());
  return isIndented || /[,({[\\=+|&]$/.test(before);
}

/**
 * Parts code into statements, each with all lines that belong to it: those that are indented below
 * it, those up to its last bracket, and of a query those up to its semicolon.
 */
export function statementsOf(lines: readonly string[]): string[][] {
  const used = lines.filter((line) => line.trim() !== "");
  const base = Math.min(...used.slice(0, BASE_LINES).map(indentOf));
  const statements: string[][] = [];
  let open = 0;
  let isQuery = false;
  for (const line of lines) {
    const last = statements.at(-1);
    const text = line.slice(0, LINE_CHARS).trim();
    if (text === "") {
      isQuery = false;
      continue;
    }
    const isPart = indentOf(line) > base || PART.test(text);
    const isBelow = open > 0 || isQuery || isPart || UNFINISHED.test(last?.at(-1) ?? "");
    if (last !== undefined && isBelow) {
      last.push(line);
    } else {
      statements.push([line]);
      isQuery = QUERY.test(text);
    }
    open = Math.max(0, open + bracketsOf(text));
    if (text.endsWith(";")) isQuery = false;
  }
  return statements;
}

/** Consecutive lines of a statement. */
export interface StatementPart {
  /** Whether they are statements in a block of it. */
  readonly isInside: boolean;
  readonly lines: string[];
}

/** Parts a statement at its blocks; undefined for one without, and for a query. */
export function blocksOf(statement: readonly string[]): StatementPart[] | undefined {
  const base = indentOf(statement[0] ?? "");
  const isQuery = statement.some((line) => QUERY.test(line.slice(0, LINE_CHARS).trim()));
  const parts: StatementPart[] = [];
  for (const line of statement) {
    const isInside = indentOf(line) > base;
    const last = parts.at(-1);
    if (last?.isInside === isInside) last.lines.push(line);
    else parts.push({ isInside, lines: [line] });
  }
  const isBlock = parts.some(({ lines }) => /[{:>]\s*$/.test((lines.at(-1) ?? "").slice(-80)));
  return isQuery || !isBlock || parts.length < 2 ? undefined : parts;
}

const BASE_LINES = 1_000;
const QUERY =
  /^(?:select|insert into|update|delete|create|alter|drop|merge|grant|with \w+ as)\b(?! ?[(=.:])/i;
const PART = /^(?:[}\])]|(?:else|elif|except|finally|catch)\b|\.|(?:where|and|or|set|values)\s)/i;
/** A line that goes on in the next, or is about it: a decorator, a comment. */
const UNFINISHED = /(?:^\s*(?:@|#|\/\/|--|\[).*|[,({[\\=+|&:])\s*$/;

function indentOf(line: string): number {
  return /^\s*/.exec(line.slice(0, LINE_CHARS))?.[0].length ?? 0;
}

function bracketsOf(text: string): number {
  let open = 0;
  for (const char of text) {
    if ("([{".includes(char)) open += 1;
    else if (")]}".includes(char)) open -= 1;
  }
  return open;
}

/** The start of a statement that changes or queries data, anywhere in a text. */
const STATEMENT =
  /\b(?:SELECT\s.{1,200}?\sFROM|INSERT INTO|DELETE FROM|UPDATE\s\S{1,80}\sSET|DROP|ALTER)\s/;

/** Whether a sentence holds a statement that must not be cut. */
export function holdsStatement(text: string): boolean {
  return STATEMENT.test(text);
}

/** The line between the header of a table and its rows. */
const RULE = /^\s*\|?\s*:?-{2,}:?\s*(?:[|+]\s*:?-{2,}:?\s*)*\|?\s*$/;

/** The row count that database clients print below a table. */
const ROW_COUNT = /^\s*\(\d+ rows?\)\s*$/;

/** Number of lines of the table whose header is at a place; 0 for none. */
export function tableLinesAt(lines: readonly string[], start: number): number {
  const isFramed = /^\s*\|/.test(lines[start] ?? "");
  if (!isFramed && !isHeader(lines, start)) return 0;
  let end = start + 1;
  while (end < lines.length && (isRule(lines[end]) || hasCells(lines[end], isFramed))) end += 1;
  return ROW_COUNT.test((lines[end] ?? "").slice(0, LINE_CHARS)) ? end - start + 1 : end - start;
}

function isHeader(lines: readonly string[], start: number): boolean {
  return hasCells(lines[start], false) && isRule(lines[start + 1]) && hasCell(lines[start + 1]);
}

function isRule(line: string | undefined): boolean {
  return line !== undefined && line.length <= LINE_CHARS && RULE.test(line);
}

function hasCell(line: string | undefined): boolean {
  return line?.includes("-") === true && /[|+]/.test(line);
}

function hasCells(line: string | undefined, isFramed: boolean): boolean {
  if (line === undefined) return false;
  return isFramed ? /^\s*\|/.test(line) : line.includes("|");
}

/** Whether a line of a table is a row of it: neither a rule nor a count. */
export function isRow(line: string): boolean {
  return !isRule(line) && !ROW_COUNT.test(line.slice(0, LINE_CHARS));
}
