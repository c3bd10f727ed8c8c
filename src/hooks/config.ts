// The hooks file: the hooks and the defaults. All problems are reported at once, each with its path
// and never with a value, which might be a secret in the wrong place.

import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { isJsonObject, type JsonObject, repeatedFields } from "../kit/text.ts";
import { BUILTIN_HOOK, MANUAL_HOOK } from "../window/policy/summary-spec.ts";
import { readGrpc, readOnnx, readOpenAi, readPoll, settingsOf } from "./config-kinds.ts";
import {
  DEFAULT_HOOKS,
  type HookConfig,
  type HooksConfig,
  type Reading,
  readFields,
  shown,
  unknownName,
  workOf,
} from "./config-types.ts";
import { HOOK_KINDS, type HookWork } from "./fields.ts";
import type { EmbedderChoice } from "./port.ts";

/** Most hooks in one file. */
export const HOOKS_MAX = 64;

const FILE_BYTES_MAX = 1_048_576;
const NAME = /^[a-z][a-z0-9_-]{0,62}$/;
const EMBEDDER_WORDS: readonly string[] = ["static", "none"];
const TOP_FIELDS = [
  "hooks",
  "default_summarizer",
  "embedder",
  "default_reranker",
  "default_resolver",
];

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
  if (!isJsonObject(value)) {
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
  if (EMBEDDER_WORDS.includes(name) && workOf(kind, value) === "embed") {
    const meaning = name === "none" ? "no vectors" : "the table of the server";
    problems.push(`${path} cannot be defined: as an embedder the word means ${meaning}`);
    return undefined;
  }
  const values = readFields(kind, value, path, reading);
  const common = { name, settings: settingsOf(kind, values) };
  const from = { values, path, reading };
  if (kind === "onnx") return readOnnx(common, from);
  if (kind === "openai") return readOpenAi(common, from);
  if (kind === "grpc") return readGrpc(common, from);
  if (kind === "poll") return readPoll(common, from);
  return { ...common, kind };
}

/** The work of a hook, as written in the file. */
function workIn(value: unknown): HookWork {
  if (!isJsonObject(value)) return "summarize";
  const kind = HOOK_KINDS.find((known) => known === value["kind"]);
  return kind === undefined ? "summarize" : workOf(kind, value);
}

/** A setting that names a hook for some work, or one of a few words. */
function readChoice(
  name: string,
  content: JsonObject,
  choice: { work: HookWork; words: readonly string[]; byDefault: string; problems: string[] },
): string {
  const value = content[name];
  if (value === undefined) return choice.byDefault;
  const hooks = isJsonObject(content["hooks"]) ? Object.entries(content["hooks"]) : [];
  const fit = hooks.filter(([, hook]) => workIn(hook) === choice.work).map(([hook]) => hook);
  const known = [...new Set([...fit, ...choice.words])];
  if (typeof value === "string" && known.includes(value)) return value;
  const meant = typeof value === "string" ? unknownName(value, known) : "";
  const words = choice.words.length === 0 ? "" : `, ${choice.words.join(" or ")}`;
  choice.problems.push(
    `${name} must name a hook of this file that is to ${choice.work}${words}${meant}`,
  );
  return choice.byDefault;
}

function embedderOf(name: string): EmbedderChoice {
  return name === "static" || name === "none" ? { kind: name } : { kind: "hook", hook: name };
}

/** Reads the content of a hooks file. */
function readContent(content: JsonObject, reading: Reading): HooksConfig {
  const { problems } = reading;
  for (const name of Object.keys(content)) {
    if (TOP_FIELDS.includes(name)) continue;
    problems.push(`unknown field ${shown(name)}${unknownName(name, TOP_FIELDS)}`);
  }
  const given = content["hooks"] ?? {};
  if (!isJsonObject(given)) problems.push("hooks must be a JSON object");
  const entries = isJsonObject(given) ? Object.entries(given) : [];
  if (entries.length > HOOKS_MAX) problems.push(`hooks holds more than ${HOOKS_MAX} hooks`);
  const hooks = entries
    .slice(0, HOOKS_MAX)
    .flatMap(([name, value]) => readHook(name, value, reading) ?? []);
  const choose = (name: string, work: HookWork, words: readonly string[]): string =>
    readChoice(name, content, { work, words, byDefault: words[0] ?? "", problems });
  const chosen = (name: string, work: HookWork): string | undefined => {
    const hook = choose(name, work, []);
    return hook === "" ? undefined : hook;
  };
  return {
    hooks,
    defaultSummarizer: choose("default_summarizer", "summarize", [BUILTIN_HOOK, MANUAL_HOOK]),
    embedder: embedderOf(choose("embedder", "embed", EMBEDDER_WORDS)),
    defaultReranker: chosen("default_reranker", "rerank"),
    defaultResolver: chosen("default_resolver", "resolve"),
  };
}

function parseFile(path: string, problems: string[]): JsonObject | undefined {
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
    if (isJsonObject(content)) return content;
    problems.push("it must hold one JSON object");
  } catch (error) {
    // The parser's message quotes the file, so only the line number is reported.
    const position = /at position (\d+)/.exec((error as Error).message)?.[1];
    const lines = text.slice(0, Number(position ?? text.length)).split("\n");
    problems.push(`it is not JSON: look at line ${lines.length}`);
  }
  return undefined;
}

/**
 * Reads a hooks file and checks that the files it names can be used. Returns the hooks and every
 * problem; the hooks are valid only when there is none.
 */
export function readHooksFile(
  path: string,
  allowExposedSecrets = false,
): {
  readonly config: HooksConfig;
  readonly problems: readonly string[];
} {
  const problems: string[] = [];
  const content = parseFile(path, problems);
  const reading = { folder: dirname(resolve(path)), allowExposedSecrets, problems };
  const config = content === undefined ? DEFAULT_HOOKS : readContent(content, reading);
  return { config, problems: problems.map((problem) => `the hooks file ${path}: ${problem}`) };
}
