// Says in plain words what the CEL library says of a fault in its own.

import { HAS } from "./python-words.ts";

/** What stands behind the names that the library has for kinds of tokens. */
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
  const said = summary.replaceAll(HAS, "has").replace(/^[A-Z](?=[a-z])/, (c) => c.toLowerCase());
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
