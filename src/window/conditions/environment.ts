// The CEL environment of conditions, and the faults they can have.

import { Environment } from "@marcbachmann/cel-js";
import { holdsPart } from "../../kit/find-part.ts";
import { LIMITS } from "../../kit/limits.ts";

/** The longest message of a fault, in characters. */
const MESSAGE_CHARS_MAX = 180;

/** Says why an expression is refused. */
export class ConditionFault extends Error {
  override readonly name = "ConditionFault";
  /** Position, in characters from the start of the expression; the first is 0. */
  readonly position: number;

  constructor(position: number, message: string) {
    super(message.slice(0, MESSAGE_CHARS_MAX));
    this.position = position;
  }
}

// Says in plain words what the CEL library says of a fault in its own.

/** Plain words for the library's names of token kinds. */
const TOKENS = new Map([
  ["EOF", "the end of the expression"],
  ["NUMBER", "a number"],
  ["STRING", "a text"],
  ["BOOLEAN", "true or false"],
  ["NULL", "null"],
  ["IDENTIFIER", "a name"],
  ["PLUS", "+"],
  ["MINUS", "-"],
  ["MULTIPLY", "*"],
  ["DIVIDE", "/"],
  ["MODULO", "%"],
  ["EQ", "=="],
  ["NE", "!="],
  ["LT", "<"],
  ["LE", "<="],
  ["GT", ">"],
  ["GE", ">="],
  ["AND", "&&"],
  ["OR", "||"],
  ["NOT", "!"],
  ["IN", "in"],
  ["LPAREN", "("],
  ["RPAREN", ")"],
  ["LBRACKET", "["],
  ["RBRACKET", "]"],
  ["LBRACE", "{"],
  ["RBRACE", "}"],
  ["DOT", "."],
  ["COMMA", ","],
  ["COLON", ":"],
  ["QUESTION", "?"],
  ["BYTES", "bytes"],
]);

function token(name = ""): string {
  return TOKENS.get(name) ?? name;
}

/** Rewrites a message of the library; one that is plain already stays. */
export function inPlainWords(summary: string): string {
  const written = summary.replaceAll(HAS, "has").replaceAll(CONTAINS, "contains");
  const said = written.replace(/^[A-Z](?=[a-z])/, (c) => c.toLowerCase());
  if (said === "unexpected token: EOF") return "ends too early";
  const [isUnexpected, unexpected] = /^unexpected token: (\w+)$/.exec(said) ?? [];
  if (isUnexpected !== undefined) return `does not expect ${token(unexpected)} here`;
  const [isOther, expected, got] = /^expected (\w+), got (\w+)$/.exec(said) ?? [];
  if (isOther !== undefined) return `expected ${token(expected)}, not ${token(got)}`;
  return said
    .replace(/^no such key: /, "there is no field ")
    .replace(/^no such overload: /, "no operator takes these types: ")
    .replace(/^found no matching overload for '(.*)'$/, "no function takes these types: $1");
}

// Reads conditions as people write them who come from Python: `and`, `or`, `not`, `not in`, `True`,
// `False` and `None` become what CEL spells `&&`, `||`, `!`, `true`, `false` and `null`. Whole
// numbers in lists become doubles, as a list in CEL holds one type. Works on tokens, so that what
// stands in quotes stays as it is.

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

/** The name that `contains` gets inside, as the library's own may take quadratic time. */
export const CONTAINS = "contains_part";

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
/** Tokens that end the operand of `not`. */
const LOOSE = new Set(["and", "or", "&&", "||", "?", ":", ","]);
/** Tokens that end the operands of `not in`. */
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
  const { start, end, text } = token;
  const isCalled = tokens[index + 1]?.text === "(";
  // After a dot stands the name of a field or method, whatever it is.
  if (tokens[index - 1]?.text === ".") {
    return text === "contains" && isCalled ? [{ start, end, text: CONTAINS }] : [];
  }
  if (text === "has" && isCalled) return [{ start, end, text: HAS }];
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

/** End of the operand that begins with this token. */
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

/** Start of the operand that ends with this token. */
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
  /** Starts of pieces: in the new text, in the original; and whether they were copied. */
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

// The names and operators that conditions know, told to the CEL library.

// The library tells types by their constructor, so each type is a class. The fields are the very
// names of the expressions; nothing else of an instance can be reached.

/** A tool call as conditions see it. */
class CallView {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;

  constructor(call: CallView) {
    this.id = call.id;
    this.name = call.name;
    this.arguments = call.arguments;
  }
}

/** Content of a message: reading it takes work. */
interface Content {
  /** All text of the content. */
  readonly content: string;
  /** Empty when the message has none. */
  readonly name: string;
  readonly toolCalls: readonly CallView[];
}

/** A message as conditions see it. Reads its content only when an expression asks for it. */
export class MessageView {
  /** `user`, `assistant`, `system` or `tool`. */
  readonly role: string;
  /** Empty when the message answers no call. */
  readonly tool_call_id: string;
  readonly tokens: number;
  /** Age relative to the newest message of the window, before any stage. */
  readonly age_seconds: number;
  readonly #read: () => Content;
  #content: Content | undefined;
  #calls: readonly CallView[] | undefined;

  constructor(
    facts: Pick<MessageView, "role" | "tool_call_id" | "tokens" | "age_seconds">,
    read: () => Content,
  ) {
    this.role = facts.role;
    this.tool_call_id = facts.tool_call_id;
    this.tokens = facts.tokens;
    this.age_seconds = facts.age_seconds;
    this.#read = read;
  }

  get content(): string {
    return this.#whole().content;
  }

  get name(): string {
    return this.#whole().name;
  }

  get tool_calls(): readonly CallView[] {
    this.#calls ??= callsOf(this.#whole().toolCalls);
    return this.#calls;
  }

  #whole(): Content {
    this.#content ??= this.#read();
    return this.#content;
  }
}

function callsOf(calls: readonly CallView[]): readonly CallView[] {
  // No message is stored with more; what macros may cost rests on it.
  if (calls.length > LIMITS.toolCalls) throw new Error("A message has too many tool calls.");
  return calls.map((call) => new CallView(call));
}

/** The turn of a message as conditions see it. */
export class TurnView {
  readonly index: number;
  readonly tokens: number;
  /** Number of messages. */
  readonly size: number;

  constructor(index: number, tokens: number, size: number) {
    this.index = index;
    this.tokens = tokens;
    this.size = size;
  }
}

/** The values behind the names of an expression. */
export interface ConditionView {
  readonly message: MessageView;
  readonly turn: TurnView;
}

/** The first name of `turn`: stored conditions still use it. */
export const OLD_TURN = "interaction";

/** The most brackets inside each other. */
export const DEPTH_MAX = 32;
/** The most operators, names and values. */
export const NODES_MAX = 200;
/** The most elements of a list that is written out. */
export const LIST_MAX = 64;

type Numeric = number | bigint;

/** Knows the names of conditions and nothing more; made once, as making it is slow. */
export const CONDITIONS = makeEnvironment();

function makeEnvironment(): Environment {
  const environment = new Environment({
    limits: {
      maxAstNodes: NODES_MAX,
      maxDepth: DEPTH_MAX,
      maxListElements: LIST_MAX,
      maxMapEntries: 0,
      maxCallArguments: 3,
    },
  });
  const text = { id: "string", name: "string" };
  const size = { tokens: "double" };
  environment
    .registerType("tool_call", { ctor: CallView, fields: { ...text, arguments: "string" } })
    .registerType("message", {
      ctor: MessageView,
      fields: {
        role: "string",
        content: "string",
        name: "string",
        tool_call_id: "string",
        tool_calls: "list<tool_call>",
        age_seconds: "double",
        ...size,
      },
    })
    .registerType("turn", {
      ctor: TurnView,
      fields: { index: "double", size: "double", ...size },
    })
    .registerVariable("message", "message")
    .registerVariable("turn", "turn")
    .registerVariable(OLD_TURN, "turn")
    .registerFunction(`${HAS}(string): bool`, (value: string) => value !== "")
    .registerFunction(`${HAS}(list): bool`, (value: readonly unknown[]) => value.length > 0)
    .registerFunction(`${HAS}(double): bool`, (value: number) => value !== 0)
    .registerFunction(`string.${CONTAINS}(string): bool`, holdsPart)
    .registerOperator("string in string", (part: string, whole: string) => holdsPart(whole, part))
    .registerOperator("string == null", (value: string) => value === "");
  registerArithmetic(environment);
  return environment;
}

/** CEL has no operator between an int and a double; people expect `message.tokens + 1` to work. */
function registerArithmetic(environment: Environment): void {
  const rules = {
    "+": (a: Numeric, b: Numeric) => Number(a) + Number(b),
    "-": (a: Numeric, b: Numeric) => Number(a) - Number(b),
    "*": (a: Numeric, b: Numeric) => Number(a) * Number(b),
    "/": (a: Numeric, b: Numeric) => Number(a) / divisor(b),
    "%": (a: Numeric, b: Numeric) => Number(a) % divisor(b),
  };
  for (const [operator, rule] of Object.entries(rules)) {
    environment.registerOperator(`int ${operator} double: double`, rule);
    environment.registerOperator(`double ${operator} int: double`, rule);
  }
  environment.registerOperator("double % double: double", rules["%"]);
  environment
    .registerOperator("int == double", (a: Numeric, b: Numeric) => Number(a) === Number(b))
    .registerOperator("int in list<double>", (value: bigint, list: readonly number[]) =>
      list.includes(Number(value)),
    );
}

/** A fault as people write it, as in `message.tokens / 0`, is the one between ints. */
function divisor(value: Numeric): number {
  const number = Number(value);
  if (number === 0) throw new RangeError("A number was divided by 0.");
  return number;
}
