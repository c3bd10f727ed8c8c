// The hooks file: which hooks there are, and which one is the default. All that is wrong is told at
// once, each with its path, and never with a value: it might be a secret in the wrong place.

import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { BUILTIN_HOOK, MANUAL_HOOK } from "../domain/summaries/spec.ts";
import { nearest } from "../lib/nearest.ts";
import { repeatedFields } from "../lib/repeated-fields.ts";
import type { HookKind, HookSettings } from "../service/hook-port.ts";
import { type GrpcTarget, parseChatUrl, parseGrpcTarget } from "./endpoint.ts";
import {
  HOOK_FIELD_NAMES,
  HOOK_KINDS,
  type HookField,
  type HookFieldName,
  hookField,
} from "./fields.ts";
import { readSecret } from "./secret-file.ts";

/** What every hook has. */
interface CommonConfig {
  readonly name: string;
  readonly settings: HookSettings;
}

/** A hook without fields of its own. */
export interface PlainConfig extends CommonConfig {
  readonly kind: "builtin" | "poll";
}

/** A hook of the kind `openai`. */
export interface OpenAiConfig extends CommonConfig {
  readonly kind: "openai";
  /** With the path of chat completions. */
  readonly url: URL;
  readonly model: string;
  readonly keyFile: string | undefined;
  readonly temperature: number;
  readonly extraBody: Readonly<Record<string, unknown>>;
  readonly caFile: string | undefined;
  readonly maxResponseBytes: number;
  readonly allowPrivateAddress: boolean;
}

/** A hook of the kind `grpc`. */
export interface GrpcConfig extends CommonConfig {
  readonly kind: "grpc";
  readonly target: GrpcTarget;
  readonly tls: boolean;
  readonly tokenFile: string | undefined;
  readonly caFile: string | undefined;
  readonly maxResponseBytes: number;
  readonly allowPrivateAddress: boolean;
}

export type HookConfig = PlainConfig | OpenAiConfig | GrpcConfig;

/** The hooks of a server, as its operator wants them. */
export interface HooksConfig {
  /** The built-in one is among them only when the file names it. */
  readonly hooks: readonly HookConfig[];
  readonly defaultSummarizer: string;
}

/** What a server without a hooks file has: the built-in hook. */
export const DEFAULT_HOOKS: HooksConfig = { hooks: [], defaultSummarizer: BUILTIN_HOOK };

/** Hooks in one file. */
export const HOOKS_MAX = 64;

const FILE_BYTES_MAX = 1_048_576;
const TEXT_CHARS_MAX = 4_096;
/** No hook may have it: policies that need it are refused, so that no one takes it for a hook's. */
const KEPT_NAME = "promote";
const NAME = /^[a-z][a-z0-9_-]{0,62}$/;
const TOP_FIELDS = ["hooks", "default_summarizer"];
const FIXED_BODY_FIELDS = ["messages", "stream"];

type Json = Readonly<Record<string, unknown>>;
type Values = ReadonlyMap<HookFieldName, unknown>;

/** What is read so far: where a value stands, and what is wrong. */
interface Reading {
  /** The folder of the hooks file. */
  readonly folder: string;
  readonly problems: string[];
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A name as a message may show it: what the operator wrote, but short. */
function shown(name: string): string {
  return JSON.stringify(name.length > 63 ? `${name.slice(0, 60)}...` : name);
}

function unknownName(name: string, known: readonly string[]): string {
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
      const isText = typeof value === "string" && value !== "" && value.length <= TEXT_CHARS_MAX;
      return isText ? undefined : `must be a text of 1 to ${TEXT_CHARS_MAX} characters`;
    }
  }
}

/** Reads the fields of a hook; defaults are filled in. */
function readFields(kind: HookKind, given: Json, path: string, reading: Reading): Values {
  const known = HOOK_FIELD_NAMES.filter((name) => hookField(name).kinds.includes(kind));
  const values = new Map<HookFieldName, unknown>();
  for (const name of Object.keys(given)) {
    if (name === "kind" || (known as readonly string[]).includes(name)) continue;
    const meant = unknownName(name, known);
    reading.problems.push(`${path} has no field ${shown(name)} for the kind ${kind}${meant}`);
  }
  for (const name of known) {
    const field = hookField(name);
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
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

function parsed<T>(parse: () => T, path: string, reading: Reading): T | undefined {
  try {
    return parse();
  } catch (error) {
    reading.problems.push(`${path} ${(error as Error).message}`);
    return undefined;
  }
}

type Reader = (path: string) => unknown;

const readCertificates: Reader = (path) => {
  const text = readFileSync(path);
  try {
    return new X509Certificate(text);
  } catch {
    throw new Error("the file holds no certificate in PEM");
  }
};

/** The absolute path of a file that a field names; a problem when it cannot be used. */
function fileOf(
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

function settingsOf(kind: HookKind, values: Values): HookSettings {
  const number = (name: HookFieldName): number => {
    const { default: byDefault, defaultOf } = hookField(name);
    // Fields that a kind does not have keep the default: nothing uses them.
    return Number(values.get(name) ?? defaultOf?.[kind] ?? byDefault);
  };
  return {
    timeoutMs: number("timeout_ms"),
    concurrency: number("concurrency"),
    maxAttempts: number("max_attempts"),
    callsPerHour: number("calls_per_hour"),
    tokensPerHour: number("tokens_per_hour"),
    inputTokensMax: number("max_input_tokens"),
  };
}

function remoteOf(values: Values, path: string, reading: Reading) {
  return {
    caFile: fileOf(values, "ca_file", { path, reading, read: readCertificates }),
    maxResponseBytes: Number(values.get("max_response_bytes")),
    allowPrivateAddress: values.get("allow_private_address") === true,
  };
}

function readOpenAi(common: CommonConfig, values: Values, path: string, reading: Reading) {
  const text = values.get("url");
  const url = parsed(() => parseChatUrl(String(text)), `${path}.url`, {
    ...reading,
    problems: text === undefined ? [] : reading.problems,
  });
  const extraBody = (values.get("extra_body") ?? {}) as Json;
  for (const name of FIXED_BODY_FIELDS) {
    if (name in extraBody) reading.problems.push(`${path}.extra_body cannot change ${name}`);
  }
  const remote = remoteOf(values, path, reading);
  if (remote.caFile !== undefined && url?.protocol === "http:") {
    reading.problems.push(`${path}.ca_file needs a url that begins with https://`);
  }
  const keyFile = fileOf(values, "key_file", { path, reading, read: readSecret });
  const model = String(values.get("model"));
  const temperature = Number(values.get("temperature"));
  if (url === undefined) return undefined;
  const own = { kind: "openai", url, model, keyFile, temperature, extraBody } as const;
  return { ...common, ...own, ...remote };
}

function readGrpc(common: CommonConfig, values: Values, path: string, reading: Reading) {
  const text = values.get("target");
  const target = parsed(() => parseGrpcTarget(String(text)), `${path}.target`, {
    ...reading,
    problems: text === undefined ? [] : reading.problems,
  });
  const tls = values.get("tls") === true;
  const remote = remoteOf(values, path, reading);
  if (remote.caFile !== undefined && !tls) {
    reading.problems.push(`${path}.ca_file needs tls`);
  }
  const tokenFile = fileOf(values, "token_file", { path, reading, read: readSecret });
  if (target === undefined) return undefined;
  return { ...common, kind: "grpc", target, tls, tokenFile, ...remote } as const;
}

function readHook(name: string, value: unknown, reading: Reading): HookConfig | undefined {
  const path = `hooks.${name}`;
  const { problems } = reading;
  if (!NAME.test(name)) {
    problems.push(`hooks: ${shown(name)} is not a name: 1 to 63 of a-z0-9_-, the first a letter`);
    return undefined;
  }
  if (name === MANUAL_HOOK) {
    problems.push(`${path} cannot be defined: ${MANUAL_HOOK} means that no hook is called`);
    return undefined;
  }
  if (name === KEPT_NAME) {
    problems.push(`${path} cannot be defined: the name is kept for REMOVED_TO_PROMOTE`);
    return undefined;
  }
  if (!isObject(value)) {
    problems.push(`${path} must be a JSON object`);
    return undefined;
  }
  const kind = HOOK_KINDS.find((known) => known === value["kind"]);
  if (kind === undefined) {
    problems.push(`${path}.kind must be one of ${HOOK_KINDS.join(", ")}`);
    return undefined;
  }
  if ((kind === "builtin") !== (name === BUILTIN_HOOK)) {
    problems.push(`${path}.kind: the kind builtin and the name ${BUILTIN_HOOK} go together`);
    return undefined;
  }
  const values = readFields(kind, value, path, reading);
  const common = { name, settings: settingsOf(kind, values) };
  if (kind === "openai") return readOpenAi(common, values, path, reading);
  if (kind === "grpc") return readGrpc(common, values, path, reading);
  return { ...common, kind };
}

function readDefault(value: unknown, names: readonly string[], problems: string[]): string {
  if (value === undefined) return BUILTIN_HOOK;
  const known = [...names, BUILTIN_HOOK, MANUAL_HOOK];
  if (typeof value === "string" && known.includes(value)) return value;
  const meant = typeof value === "string" ? unknownName(value, known) : "";
  problems.push(
    `default_summarizer must name a hook of this file, ${BUILTIN_HOOK} or ${MANUAL_HOOK}${meant}`,
  );
  return BUILTIN_HOOK;
}

/** Reads the content of a hooks file. */
function readContent(content: Json, reading: Reading): HooksConfig {
  const { problems } = reading;
  for (const name of Object.keys(content)) {
    if (TOP_FIELDS.includes(name)) continue;
    problems.push(`unknown field ${shown(name)}${unknownName(name, TOP_FIELDS)}`);
  }
  const given = content["hooks"] ?? {};
  if (!isObject(given)) problems.push("hooks must be a JSON object");
  const entries = isObject(given) ? Object.entries(given) : [];
  if (entries.length > HOOKS_MAX) problems.push(`hooks holds more than ${HOOKS_MAX} hooks`);
  const hooks = entries
    .slice(0, HOOKS_MAX)
    .flatMap(([name, value]) => readHook(name, value, reading) ?? []);
  const names = entries.map(([name]) => name);
  return {
    hooks,
    defaultSummarizer: readDefault(content["default_summarizer"], names, problems),
  };
}

function parseFile(path: string, problems: string[]): Json | undefined {
  let text: string;
  try {
    // Some editors begin a file with a byte order mark.
    text = readFileSync(path, "utf8").replace(/^\uFEFF/, "");
  } catch (error) {
    problems.push(`it cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown"})`);
    return undefined;
  }
  if (Buffer.byteLength(text) > FILE_BYTES_MAX) {
    problems.push(`it is longer than ${FILE_BYTES_MAX} bytes`);
    return undefined;
  }
  if (text.trim() === "") {
    problems.push("it is empty");
    return undefined;
  }
  try {
    const content: unknown = JSON.parse(text);
    for (const name of repeatedFields(text)) {
      problems.push(`the field ${shown(name)} stands twice in one object`);
    }
    if (isObject(content)) return content;
    problems.push("it must hold one JSON object");
  } catch (error) {
    // What the parser says quotes the file.
    const position = /at position (\d+)/.exec((error as Error).message)?.[1];
    const lines = text.slice(0, Number(position ?? text.length)).split("\n");
    problems.push(`it is not JSON: look at line ${lines.length}`);
  }
  return undefined;
}

/**
 * Reads a hooks file, and looks whether the files that it names can be used. Gives the hooks, and
 * every problem; the hooks count only when there is none.
 */
export function readHooksFile(path: string): {
  readonly config: HooksConfig;
  readonly problems: readonly string[];
} {
  const problems: string[] = [];
  const content = parseFile(path, problems);
  const reading = { folder: dirname(resolve(path)), problems };
  const config = content === undefined ? DEFAULT_HOOKS : readContent(content, reading);
  return { config, problems: problems.map((problem) => `the hooks file ${path}: ${problem}`) };
}
