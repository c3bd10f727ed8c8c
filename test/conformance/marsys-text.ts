// Operations that a case writes as calls, such as `delete_memory(5 of 1)` or `Message(images='x')`:
// a name, arguments in the notation of Python, and perhaps a method of the result.

import { CaseFault, type Json } from "./json.ts";

/** A call as it was written. */
export interface WrittenCall {
  readonly name: string;
  /** The arguments without a name: values, or the words of a description. */
  readonly positional: readonly (Json | Words)[];
  readonly named: Readonly<Record<string, Json>>;
  /** The method of the result that is called. */
  readonly method: string | undefined;
}

/** A description in place of a value, such as `unknown id`. */
export interface Words {
  readonly words: string;
}

const CALL = /^([A-Za-z_]\w*)\((.*)\)(?:\.(\w+)(?:\(\))?)?$/s;
const WORDS: Readonly<Record<string, Json>> = {
  None: null,
  True: true,
  False: false,
  dict: {},
  list: [],
  str: "",
  int: 0,
};

/** Cuts at the commas that stand in no brackets and no quotes. */
function split(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let quote = "";
  let part = "";
  for (const char of text) {
    if (quote !== "") quote = char === quote ? "" : quote;
    else if (char === "'" || char === '"') quote = char;
    else if ("[{(".includes(char)) depth += 1;
    else if ("]})".includes(char)) depth -= 1;
    if (char === "," && depth === 0 && quote === "") {
      parts.push(part.trim());
      part = "";
    } else part += char;
  }
  if (part.trim() !== "") parts.push(part.trim());
  return parts;
}

function readEntry(text: string): [string, Json] {
  const [, key, value] = /^['"]?([\w]+)['"]?\s*:\s*(.*)$/s.exec(text) ?? [];
  if (key === undefined || value === undefined) throw new CaseFault(`"${text}" is no entry`);
  return [key, readValue(value)];
}

/** Reads a value. Throws a CaseFault for what is none. */
function readValue(text: string): Json {
  const value = tryValue(text);
  if (value === undefined) throw new CaseFault(`"${text}" is no value`);
  return value;
}

function tryValue(text: string): Json | undefined {
  const inner = text.slice(1, -1);
  if (/^'[^']*'$|^"[^"]*"$/.test(text)) return inner;
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  if (/^\[.*\]$/s.test(text)) return split(inner).map(readValue);
  if (/^\{.*\}$/s.test(text)) return Object.fromEntries(split(inner).map(readEntry));
  return Object.hasOwn(WORDS, text) ? (WORDS[text] ?? null) : undefined;
}

/** Reads a written call; undefined for a text that is none. */
export function readCall(text: string): WrittenCall | undefined {
  const [, name, inside, method] = CALL.exec(text) ?? [];
  if (name === undefined || inside === undefined) return undefined;
  const positional: (Json | Words)[] = [];
  const named: Record<string, Json> = {};
  for (const part of split(inside)) {
    const [, key, value] = /^([A-Za-z_]\w*)\s*=(?!=)\s*(.*)$/s.exec(part) ?? [];
    if (key !== undefined && value !== undefined) named[key] = readValue(value);
    else {
      const plain = tryValue(part);
      positional.push(plain === undefined ? { words: part } : plain);
    }
  }
  return { name, positional, named, method };
}

/** Says whether an argument is a description. */
export function isWords(value: Json | Words | undefined): value is Words {
  return typeof value === "object" && value !== null && "words" in value;
}
