// The directory of a sentence transformer as its tools write it: the model, the
// tokenizer, and small files that say how texts are cut, pooled and scaled.

import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** Pooling of the token vectors of a text into one vector. */
export type Pooling = "cls" | "mean" | "max" | "meanSqrt" | "last";

/** The description of the model in a directory. */
export interface ModelDirectory {
  /** The path of the model. */
  readonly model: string;
  readonly tokenizer: object;
  readonly tokenizerConfig: object;
  readonly pooling: Pooling;
  /** The most tokens that the model reads, those that begin and end a text included. */
  readonly tokensMax: number;
  readonly queryPrefix: string;
  readonly passagePrefix: string;
}

type Json = Readonly<Record<string, unknown>>;

const MODEL_FILES = ["model.onnx", "onnx/model.onnx"] as const;
const TOKENIZER_FILE = "tokenizer.json";
const TOKENS_DEFAULT = 512;
/** More would take gigabytes for one text, whatever a model says of itself. */
const TOKENS_MAX = 8_192;

const POOLINGS: readonly (readonly [string, Pooling])[] = [
  ["pooling_mode_cls_token", "cls"],
  ["pooling_mode_mean_tokens", "mean"],
  ["pooling_mode_max_tokens", "max"],
  ["pooling_mode_mean_sqrt_len_tokens", "meanSqrt"],
  ["pooling_mode_lasttoken", "last"],
];

/** Steps after the model that the server does, by the end of their type. */
const KNOWN_MODULES = ["Transformer", "Pooling", "Normalize"];

/** A directory that cannot be used; the message says why, for the operator. */
export class ModelDirectoryError extends Error {
  override readonly name = "ModelDirectoryError";
}

/** Names a required file that a directory lacks; undefined when it has all. Loads nothing. */
export function missingModelFile(directory: string): string | undefined {
  if (modelFileOf(directory) === undefined) return MODEL_FILES[0];
  return existsSync(join(directory, TOKENIZER_FILE)) ? undefined : TOKENIZER_FILE;
}

function modelFileOf(directory: string): string | undefined {
  return MODEL_FILES.map((name) => join(directory, name)).find((path) => existsSync(path));
}

/**
 * Reads the directory of a sentence transformer. The pooling defaults to the mean, the most tokens
 * to 512. Throws ModelDirectoryError.
 */
export function readModelDirectory(directory: string): ModelDirectory {
  if (!existsSync(directory) || !statSync(directory).isDirectory()) {
    throw new ModelDirectoryError("the directory does not exist");
  }
  const model = modelFileOf(directory);
  if (model === undefined) throw new ModelDirectoryError("model.onnx is missing");
  const tokenizer = readJson(directory, TOKENIZER_FILE);
  if (tokenizer === undefined) throw new ModelDirectoryError("tokenizer.json is missing");
  checkModules(directory);
  const tokenizerConfig = readJson(directory, "tokenizer_config.json") ?? {};
  const prompts = promptsOf(readJson(directory, "config_sentence_transformers.json"));
  return {
    model,
    tokenizer,
    tokenizerConfig,
    pooling: poolingOf(readJson(directory, "1_Pooling/config.json")),
    tokensMax: tokensMaxOf(directory, tokenizerConfig),
    queryPrefix: prompts.query,
    passagePrefix: prompts.passage,
  };
}

function readJson(directory: string, name: string): Json | undefined {
  const path = join(directory, name);
  if (!existsSync(path)) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, "utf8"));
  } catch (cause) {
    throw new ModelDirectoryError(`${name} is not JSON that can be read`, { cause });
  }
  if (typeof value === "object" && value !== null) return value as Json;
  throw new ModelDirectoryError(`${name} must hold an object`);
}

function checkModules(directory: string): void {
  const modules = readJson(directory, "modules.json");
  if (!Array.isArray(modules)) return;
  for (const module of modules as readonly Json[]) {
    const type = String(module["type"]).split(".").at(-1) ?? "";
    if (KNOWN_MODULES.includes(type)) continue;
    throw new ModelDirectoryError(
      `modules.json has the step ${type}; only ${KNOWN_MODULES.join(", ")} are done here`,
    );
  }
}

function poolingOf(config: Json | undefined): Pooling {
  if (config === undefined) return "mean";
  const on = POOLINGS.filter(([name]) => config[name] === true);
  const [first, second] = on;
  if (first !== undefined && second === undefined) return first[1];
  if (first === undefined && config["pooling_mode"] === "mean") return "mean";
  const names = POOLINGS.map(([name]) => name).join(", ");
  throw new ModelDirectoryError(`1_Pooling/config.json must turn on exactly one of ${names}`);
}

function tokensMaxOf(directory: string, tokenizerConfig: Json): number {
  const said = [
    readJson(directory, "sentence_bert_config.json")?.["max_seq_length"],
    tokenizerConfig["model_max_length"],
    readJson(directory, "config.json")?.["max_position_embeddings"],
  ].filter((value): value is number => Number.isSafeInteger(value) && (value as number) > 0);
  // Tokenizers without a limit write a number of thirty digits, which is no safe integer.
  return Math.min(said[0] ?? TOKENS_DEFAULT, ...said, TOKENS_MAX);
}

function promptsOf(config: Json | undefined): { readonly query: string; readonly passage: string } {
  const prompts = (config?.["prompts"] ?? {}) as Json;
  const named = (...names: readonly string[]): string => {
    const found = names.map((name) => prompts[name]).find((value) => typeof value === "string");
    return typeof found === "string" ? found : "";
  };
  return { query: named("query"), passage: named("passage", "document") };
}
