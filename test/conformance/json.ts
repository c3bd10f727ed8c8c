// JSON as case files hold it, with readers that say what a case lacks.

/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: Json;
}

/** Says that a case asks for something the runner does not understand. */
export class CaseFault extends Error {
  override readonly name = "CaseFault";
}

/** Says whether a value is a JSON object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Gives an object; an empty one for what is absent or null. Throws a CaseFault for the rest. */
export function objectOf(value: Json | undefined, what: string): JsonObject {
  if (value === undefined || value === null) return {};
  if (isObject(value)) return value;
  throw new CaseFault(`${what} is not an object: ${JSON.stringify(value)}`);
}

/** Gives a list; an empty one for what is absent or null. Throws a CaseFault for the rest. */
export function listOf(value: Json | undefined, what: string): readonly Json[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  throw new CaseFault(`${what} is not a list: ${JSON.stringify(value)}`);
}

/** Gives a text, or undefined for what is absent or null. Throws a CaseFault for the rest. */
export function textOf(value: Json | undefined, what: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return value;
  throw new CaseFault(`${what} is not a text: ${JSON.stringify(value)}`);
}

/** Gives a number, or undefined for what is absent or null. Throws a CaseFault for the rest. */
export function numberOf(value: Json | undefined, what: string): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "number") return value;
  throw new CaseFault(`${what} is not a number: ${JSON.stringify(value)}`);
}

/** Gives a text that must be there. Throws a CaseFault. */
export function needText(value: Json | undefined, what: string): string {
  const text = textOf(value, what);
  if (text === undefined) throw new CaseFault(`${what} is missing`);
  return text;
}

/** Gives a number that must be there. Throws a CaseFault. */
export function needNumber(value: Json | undefined, what: string): number {
  const number = numberOf(value, what);
  if (number === undefined) throw new CaseFault(`${what} is missing`);
  return number;
}

function isRepeat(value: JsonObject): value is JsonObject & { repeat: string; times: number } {
  return (
    Object.keys(value).length === 2 &&
    typeof value["repeat"] === "string" &&
    typeof value["times"] === "number"
  );
}

/** Writes out every `{"repeat": c, "times": n}` in a value. */
export function expandRepeats(value: Json): Json {
  if (Array.isArray(value)) return value.map(expandRepeats);
  if (!isObject(value)) return value;
  if (isRepeat(value)) return value.repeat.repeat(value.times);
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, expandRepeats(part)]));
}
