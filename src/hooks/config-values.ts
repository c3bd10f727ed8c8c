// Reads the fields of one hook by their table.

import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { nearest } from "../lib/nearest.ts";
import type { HookKind } from "../service/hook-port.ts";
import {
  HOOK_FIELD_NAMES,
  HOOK_WORKS,
  type HookField,
  type HookFieldName,
  type HookWork,
  hookField,
} from "./fields.ts";

const TEXT_CHARS_MAX = 4_096;

export type Json = Readonly<Record<string, unknown>>;
export type Values = ReadonlyMap<HookFieldName, unknown>;

/** What is read so far: where a value stands, and what is wrong. */
export interface Reading {
  /** The folder of the hooks file. */
  readonly folder: string;
  readonly problems: string[];
}

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A name as a message may show it: what the operator wrote, but short. */
export function shown(name: string): string {
  return JSON.stringify(name.length > 63 ? `${name.slice(0, 60)}...` : name);
}

export function unknownName(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  return near === undefined ? "" : `: did you mean ${near}?`;
}

/** Says what a value of a field must be; undefined when it is. */
function fieldProblem(field: HookField, value: unknown): string | undefined {
  const { min = -Infinity, max = Infinity } = field;
  const inRange = typeof value === "number" && value >= min && value <= max;
  switch (field.type) {
    case "integer":
      return Number.isSafeInteger(value) && inRange
        ? undefined
        : `must be a whole number of ${min} to ${max}`;
    case "number":
      return inRange ? undefined : `must be a number of ${min} to ${max}`;
    case "boolean":
      return typeof value === "boolean" ? undefined : "must be true or false";
    case "object":
      return isObject(value) ? undefined : "must be a JSON object";
    default: {
      if (field.oneOf !== undefined) {
        const known = (field.oneOf as readonly unknown[]).includes(value);
        return known ? undefined : `must be one of ${field.oneOf.join(", ")}`;
      }
      const isText = typeof value === "string" && value !== "" && value.length <= TEXT_CHARS_MAX;
      return isText ? undefined : `must be a text of 1 to ${TEXT_CHARS_MAX} characters`;
    }
  }
}

/** What a hook is for, as far as it can be told: what is wrong is told elsewhere. */
export function workOf(kind: HookKind, given: Json): HookWork {
  if (kind === "onnx") return "embed";
  return HOOK_WORKS.find((known) => known === given["does"]) ?? "summarize";
}

/** Reads the fields of a hook; defaults are filled in. */
export function readFields(kind: HookKind, given: Json, path: string, reading: Reading): Values {
  const known = HOOK_FIELD_NAMES.filter((name) => hookField(name).kinds.includes(kind));
  const values = new Map<HookFieldName, unknown>();
  for (const name of Object.keys(given)) {
    if (name === "kind" || (known as readonly string[]).includes(name)) continue;
    const meant = unknownName(name, known);
    reading.problems.push(`${path} has no field ${shown(name)} for the kind ${kind}${meant}`);
  }
  const does = workOf(kind, given);
  for (const name of known) {
    const field = hookField(name);
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    if (value !== undefined && field.does !== undefined && !field.does.includes(does)) {
      reading.problems.push(`${path}.${name} is not for a hook that is to ${does}`);
      continue;
    }
    if (value === undefined) {
      if (field.required === true) reading.problems.push(`${path}.${name} is required`);
      values.set(name, field.defaultOf?.[kind] ?? field.default);
      continue;
    }
    const problem = fieldProblem(field, value);
    if (problem === undefined) values.set(name, value);
    else reading.problems.push(`${path}.${name} ${problem}`);
  }
  return values;
}

export function parsed<T>(parse: () => T, path: string, reading: Reading): T | undefined {
  try {
    return parse();
  } catch (error) {
    reading.problems.push(`${path} ${(error as Error).message}`);
    return undefined;
  }
}

export type Reader = (path: string) => unknown;

export const readCertificates: Reader = (path) => {
  const text = readFileSync(path);
  try {
    return new X509Certificate(text);
  } catch {
    throw new Error("the file holds no certificate in PEM");
  }
};

/** The absolute path of a file that a field names; a problem when it cannot be used. */
export function fileOf(
  values: Values,
  name: HookFieldName,
  from: { path: string; reading: Reading; read: Reader },
): string | undefined {
  const value = values.get(name);
  if (typeof value !== "string") return undefined;
  const file = resolve(from.reading.folder, value);
  try {
    from.read(file);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const why = code === undefined ? (error as Error).message : `the file cannot be read (${code})`;
    from.reading.problems.push(`${from.path}.${name}: ${why}`);
  }
  return file;
}
