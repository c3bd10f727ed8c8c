// Configuration of hooks: the hooks file, read and checked.

import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { isJsonObject, type JsonObject, nearest } from "../kit/text.ts";
import { BUILTIN_HOOK } from "../window/policy/summary-spec.ts";
import type { GrpcTarget } from "./endpoint.ts";
import {
  HOOK_FIELD_NAMES,
  HOOK_WORKS,
  type HookField,
  type HookFieldName,
  type HookWork,
  hookField,
} from "./fields.ts";
import type { EmbedConfig, EmbedderChoice, HookKind, HookSettings } from "./port.ts";

/** Fields of every hook. */
export interface CommonConfig {
  readonly name: string;
  readonly settings: HookSettings;
}

/** A hook with the common fields only. */
export interface PlainConfig extends CommonConfig {
  readonly kind: "builtin";
}

/** Work of a hook whose kind can do several. */
interface WorkConfig extends CommonConfig {
  readonly does: HookWork;
  /** Set exactly when it makes vectors. */
  readonly embed: EmbedConfig | undefined;
}

/** A hook of the kind `poll`. */
export interface PollConfig extends WorkConfig {
  readonly kind: "poll";
}

/** A hook that the server reaches over a network. */
interface RemoteConfig extends WorkConfig {
  readonly caFile: string | undefined;
  readonly maxResponseBytes: number;
  readonly allowPrivateAddress: boolean;
}

/** A hook of the kind `openai`. */
export interface OpenAiConfig extends RemoteConfig {
  readonly kind: "openai";
  /** With the path for the hook's work. */
  readonly url: URL;
  readonly model: string;
  readonly keyFile: string | undefined;
  readonly temperature: number;
  readonly extraBody: JsonObject;
}

/** A hook of the kind `grpc`. */
export interface GrpcConfig extends RemoteConfig {
  readonly kind: "grpc";
  readonly target: GrpcTarget;
  readonly tls: boolean;
  readonly tokenFile: string | undefined;
}

/** A hook of the kind `onnx`. */
export interface OnnxConfig extends CommonConfig {
  readonly kind: "onnx";
  readonly directory: string;
  readonly batchSize: number;
  /** Default: as the model's directory says. */
  readonly queryPrefix: string | undefined;
  readonly passagePrefix: string | undefined;
}

export type HookConfig = PlainConfig | PollConfig | OpenAiConfig | GrpcConfig | OnnxConfig;

/** Configuration of a server's hooks. */
export interface HooksConfig {
  /** The built-in one is among them only when the file names it. */
  readonly hooks: readonly HookConfig[];
  readonly defaultSummarizer: string;
  readonly embedder: EmbedderChoice;
  /** Undefined when calls must name one, as below. */
  readonly defaultReranker: string | undefined;
  readonly defaultResolver: string | undefined;
}

/** Hooks of a server without a hooks file: the built-in hook. */
export const DEFAULT_HOOKS: HooksConfig = {
  hooks: [],
  defaultSummarizer: BUILTIN_HOOK,
  embedder: { kind: "static" },
  defaultReranker: undefined,
  defaultResolver: undefined,
};

// Reads the fields of one hook by their table.

const TEXT_CHARS_MAX = 4_096;

export type Values = ReadonlyMap<HookFieldName, unknown>;

/** State of reading a hooks file. */
export interface Reading {
  /** The folder of the hooks file. */
  readonly folder: string;
  /** Takes secret files that others can read. */
  readonly allowExposedSecrets: boolean;
  readonly problems: string[];
}

/** The values of a hook, and its place in the file. */
export interface Given {
  readonly values: Values;
  readonly path: string;
  readonly reading: Reading;
}

/** A name for a message, shortened. */
export function shown(name: string): string {
  return JSON.stringify(name.length > 63 ? `${name.slice(0, 60)}...` : name);
}

export function unknownName(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  return near === undefined ? "" : `: did you mean ${near}?`;
}

/** The requirement that a value of a field breaks; undefined for a valid value. */
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
      return isJsonObject(value) ? undefined : "must be a JSON object";
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

/** The work that `does` names; `summarize` for an unknown value, which is reported elsewhere. */
export function workNamed(does: unknown): HookWork {
  return HOOK_WORKS.find((known) => known === does) ?? "summarize";
}

/** Work of a hook. */
export function workOf(kind: HookKind, given: JsonObject): HookWork {
  return kind === "onnx" ? "embed" : workNamed(given["does"]);
}

/** Reads the fields of a hook; defaults are filled in. */
export function readFields(
  kind: HookKind,
  given: JsonObject,
  path: string,
  reading: Reading,
): Values {
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

/** Reads a certificate. Throws an Error when the file holds none. */
export function readCertificates(path: string): X509Certificate {
  const text = readFileSync(path);
  try {
    return new X509Certificate(text);
  } catch {
    throw new Error("the file holds no certificate in PEM");
  }
}

/** The absolute path of a file that a field names; a problem when it cannot be used. */
export function fileOf(
  { values, path, reading }: Given,
  name: HookFieldName,
  read: (path: string) => unknown,
): string | undefined {
  const value = values.get(name);
  if (typeof value !== "string") return undefined;
  const file = resolve(reading.folder, value);
  try {
    read(file);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const why = code === undefined ? (error as Error).message : `the file cannot be read (${code})`;
    reading.problems.push(`${path}.${name}: ${why}`);
  }
  return file;
}
