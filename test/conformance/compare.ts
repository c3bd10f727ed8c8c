// Compares what a case expects with what was seen.

import { MemorySidecarError, Status } from "../../clients/typescript/src/errors.ts";
import { isObject, type Json, type JsonObject } from "./json.ts";

const SHOWN = Symbol("shown");
const PARTIAL = new WeakSet<object>();

/** Something that a case may name by a text, such as the id of a message, or write out. */
export interface Shown {
  readonly [SHOWN]: true;
  /** The texts that stand for it; none when it must be written out. */
  readonly names: readonly string[];
  readonly value: object;
}

/** Makes something that a case may name or write out. */
export function shown(names: readonly string[], value: object): Shown {
  return { [SHOWN]: true, names, value };
}

function isShown(value: unknown): value is Shown {
  return typeof value === "object" && value !== null && SHOWN in value;
}

/** Marks an object of which a case may name some fields and leave out others. */
export function atLeast<T extends object>(value: T): T {
  PARTIAL.add(value);
  return value;
}

/** Status codes of the source systems' errors over gRPC. */
const CODES: Readonly<Record<string, readonly number[]>> = {
  ValueError: [Status.INVALID_ARGUMENT, Status.NOT_FOUND],
  TypeError: [Status.INVALID_ARGUMENT],
  KeyError: [Status.INVALID_ARGUMENT, Status.NOT_FOUND],
  IndexError: [Status.OUT_OF_RANGE],
  ValidationError: [Status.INVALID_ARGUMENT],
  MessageError: [Status.INVALID_ARGUMENT, Status.NOT_FOUND],
  AgentConfigurationError: [Status.INVALID_ARGUMENT],
  MemoryConfigError: [Status.INVALID_ARGUMENT],
  ToolConversationIntegrityError: [Status.INVALID_ARGUMENT],
  SyntaxError: [Status.INVALID_ARGUMENT],
  ConfigError: [Status.INVALID_ARGUMENT],
  ConditionError: [Status.INVALID_ARGUMENT],
  InvalidExpression: [Status.INVALID_ARGUMENT],
  NotImplementedError: [Status.UNIMPLEMENTED],
  AgentFrameworkError: [Status.INVALID_ARGUMENT, Status.DATA_LOSS],
  StorageError: [Status.INVALID_ARGUMENT, Status.DATA_LOSS],
};

/** Full names of options that parts of a system abbreviate. */
const OF_PARTS: Readonly<Record<string, string>> = { retention_days: "episodic_retention_days" };

/** Fields of an error that must be faulty: the one named, or the one the message begins with. */
function fieldOf(expected: JsonObject, error: MemorySidecarError): string | undefined {
  if (typeof expected["field"] === "string") return expected["field"];
  const message = typeof expected["message"] === "string" ? expected["message"] : "";
  const first = /^'?([a-z]+(?:_[a-z]+)+)\b/.exec(message)?.[1];
  // Texts are for information; only a name that looks like an option of the policy is held to.
  const isOption = error.violations.some(({ field }) => /policy\.preset\.options/.test(field));
  return isOption && first !== undefined ? (OF_PARTS[first] ?? first) : undefined;
}

function errorMismatch(expected: Json, error: MemorySidecarError): string | undefined {
  const wrapped = isObject(expected) && "error" in expected ? expected["error"] : expected;
  if (typeof wrapped === "string") {
    const codes = CODES[wrapped];
    // A text that is no kind is a message: any refusal of the request will do.
    const allowed = codes ?? [Status.INVALID_ARGUMENT, Status.NOT_FOUND, Status.OUT_OF_RANGE];
    return allowed.includes(error.code) ? undefined : `is ${describe(error)}`;
  }
  if (!isObject(wrapped)) return `is ${describe(error)}`;
  const kind = wrapped["kind"];
  const codes = typeof kind === "string" ? CODES[kind] : undefined;
  if (codes === undefined) return `the kind of error ${JSON.stringify(kind)} is not understood`;
  if (!codes.includes(error.code)) return `is ${describe(error)}, not a ${String(kind)}`;
  const field = fieldOf(wrapped, error);
  if (field === undefined || error.violations.some((each) => endsWith(each.field, field))) return;
  return `names ${error.violations.map((each) => each.field).join(", ")}, not ${field}`;
}

/** A fault of an element of a list is one of the list. */
function endsWith(path: string, field: string): boolean {
  return [path, path.replace(/\[\d+\]$/, "")].some(
    (each) => each === field || each.endsWith(`.${field}`),
  );
}

function describe(error: MemorySidecarError): string {
  return `the error ${Status[error.code]} ${error.reason}: ${error.message}`;
}

function objectMismatch(expected: JsonObject, got: object, path: string): string | undefined {
  const fields = new Map(Object.entries(got).filter(([, value]) => value !== undefined));
  for (const [key, value] of Object.entries(expected)) {
    // In Python what is None and what is left out read the same.
    if (!fields.has(key) && value === null) continue;
    if (!fields.has(key)) return `${path}.${key} is missing`;
    const problem = mismatch(value, fields.get(key), `${path}.${key}`);
    if (problem !== undefined) return problem;
  }
  if (PARTIAL.has(got)) return undefined;
  const extra = [...fields.keys()].find((key) => !(key in expected));
  return extra === undefined ? undefined : `${path}.${extra} was not expected`;
}

function listMismatch(expected: readonly Json[], got: unknown, path: string): string | undefined {
  if (!Array.isArray(got)) return `${path} is not a list`;
  for (const [index, value] of expected.entries()) {
    if (index >= got.length) return `${path}[${index}] is missing`;
    const problem = mismatch(value, got[index], `${path}[${index}]`);
    if (problem !== undefined) return problem;
  }
  return got.length === expected.length ? undefined : `${path} has ${got.length} entries`;
}

/** Says where what was seen differs from what is expected; undefined when it does not. */
export function mismatch(expected: Json, got: unknown, path = ""): string | undefined {
  if (expected === "<any>" && got !== undefined) return undefined;
  if (got instanceof MemorySidecarError) {
    const problem = errorMismatch(expected, got);
    return problem === undefined ? undefined : `${path} ${problem}`;
  }
  if (isShown(got)) {
    if (typeof expected !== "string") return mismatch(expected, got.value, path);
    return got.names.includes(expected) ? undefined : `${path} is ${show(got)}`;
  }
  if (typeof expected === "number" && typeof got === "number") {
    return Math.abs(expected - got) <= 1e-6 ? undefined : `${path} is ${got}`;
  }
  if (Array.isArray(expected)) return listMismatch(expected, got, path);
  if (isObject(expected)) {
    if (typeof got !== "object" || got === null || Array.isArray(got)) {
      return `${path} is not an object`;
    }
    return objectMismatch(expected, got, path);
  }
  return expected === got ? undefined : `${path} is ${show(got)}`;
}

function plain(value: unknown): unknown {
  if (value instanceof MemorySidecarError) return describe(value);
  if (isShown(value)) return value.names[0] ?? plain(value.value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, plain(part)]));
}

/** Writes out what was seen, for people. */
export function show(value: unknown): string {
  return JSON.stringify(plain(value)) ?? "nothing";
}
