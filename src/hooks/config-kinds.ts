// Reads the hooks of each kind.

import { statSync } from "node:fs";
import { LIMITS } from "../kit/limits.ts";
import type { JsonObject } from "../kit/text.ts";
import { missingModelFile } from "../recall/embed/onnx-directory.ts";
import {
  type CommonConfig,
  fileOf,
  type Given,
  type GrpcConfig,
  type OnnxConfig,
  type OpenAiConfig,
  type PollConfig,
  readCertificates,
  type Values,
  workNamed,
} from "./config-types.ts";
import { parseEndpointUrl, parseGrpcTarget } from "./endpoint.ts";
import { type HookFieldName, hookField } from "./fields.ts";
import type { EmbedConfig, HookKind, HookSettings } from "./port.ts";
import { readSecret } from "./secret-file.ts";
import { workRow } from "./works.ts";

/** Settings of a hook of any kind. */
export function settingsOf(kind: HookKind, values: Values): HookSettings {
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

/** Most bytes of one vector value in an answer, and of the JSON around the values. */
const VALUE_BYTES = 24;
const AROUND_BYTES = 65_536;

/** Largest answer that is read, in bytes: a whole batch of vectors always fits. */
function responseBytes({ values }: Given, embed: EmbedConfig | undefined): number {
  const set = Number(values.get("max_response_bytes"));
  if (embed === undefined || Number.isNaN(embed.dimensions)) return set;
  return Math.max(set, embed.batchSize * embed.dimensions * VALUE_BYTES + AROUND_BYTES);
}

/** The work of a hook, and the form of vectors when it makes any. */
function workConfigOf({ values, path, reading }: Given): Pick<PollConfig, "does" | "embed"> {
  const does = workNamed(values.get("does"));
  if (does !== "embed") return { does, embed: undefined };
  const dimensions = values.get("dimensions");
  if (dimensions === undefined) reading.problems.push(`${path}.dimensions is required`);
  const embed = {
    dimensions: Number(dimensions),
    sendDimensions: values.get("send_dimensions") === true,
    batchSize: Number(values.get("batch_size")),
    queryPrefix: String(values.get("query_prefix") ?? ""),
    passagePrefix: String(values.get("passage_prefix") ?? ""),
  };
  return { does, embed };
}

/** The address of a hook; undefined when it is missing, which is told already, or wrong. */
function addressOf<T>(
  { values, path, reading }: Given,
  name: "url" | "target",
  parse: (text: string) => T,
): T | undefined {
  const text = values.get(name);
  if (text === undefined) return undefined;
  try {
    return parse(String(text));
  } catch (error) {
    reading.problems.push(`${path}.${name} ${(error as Error).message}`);
    return undefined;
  }
}

/** The settings of connections; `needs` is what certificates need when the address has no TLS. */
function remoteOf(given: Given, needs: string | undefined) {
  const { values, path, reading } = given;
  const caFile = fileOf(given, "ca_file", readCertificates);
  if (caFile !== undefined && needs !== undefined) {
    reading.problems.push(`${path}.ca_file needs ${needs}`);
  }
  return { caFile, allowPrivateAddress: values.get("allow_private_address") === true };
}

/** The path of a file with a secret. */
function secretOf(given: Given, name: "key_file" | "token_file"): string | undefined {
  return fileOf(given, name, (file) => readSecret(file, given.reading.allowExposedSecrets));
}

/** Reads a hook of the kind `onnx`. */
export function readOnnx(common: CommonConfig, given: Given): OnnxConfig | undefined {
  const { values } = given;
  const directory = fileOf(given, "directory", (name) => {
    if (!statSync(name).isDirectory()) throw new Error("it is no directory");
    const missing = missingModelFile(name);
    if (missing !== undefined) throw new Error(`${missing} is missing in it`);
  });
  if (directory === undefined) return undefined;
  const prefix = (name: HookFieldName): string | undefined => {
    const value = values.get(name);
    return value === undefined ? undefined : String(value);
  };
  return {
    ...common,
    kind: "onnx",
    directory,
    batchSize: Number(values.get("batch_size")),
    queryPrefix: prefix("query_prefix"),
    passagePrefix: prefix("passage_prefix"),
  };
}

/** Reads a hook of the kind `poll`. */
export function readPoll(common: CommonConfig, given: Given): PollConfig {
  const work = workConfigOf(given);
  const { embed } = work;
  const most = LIMITS.taskVectorValues;
  // A whole batch comes in one request.
  if (embed !== undefined && embed.batchSize * embed.dimensions > most) {
    given.reading.problems.push(
      `${given.path}.batch_size times dimensions must be at most ${most}`,
    );
  }
  return { ...common, kind: "poll", ...work };
}

/** Reads a hook of the kind `openai`. */
export function readOpenAi(common: CommonConfig, given: Given): OpenAiConfig | undefined {
  const { values, path, reading } = given;
  const does = workNamed(values.get("does"));
  const url = addressOf(given, "url", (text) => parseEndpointUrl(text, does));
  const extraBody = (values.get("extra_body") ?? {}) as JsonObject;
  const openai = does === "summarize" ? undefined : workRow(does).openai;
  const texts = typeof openai === "object" ? openai.textFields : ["messages"];
  for (const name of [...texts, "stream"]) {
    if (name in extraBody) reading.problems.push(`${path}.extra_body cannot change ${name}`);
  }
  const isPlain = url?.protocol === "http:";
  const remote = remoteOf(given, isPlain ? "a url that begins with https://" : undefined);
  const keyFile = secretOf(given, "key_file");
  const model = String(values.get("model"));
  const temperature = Number(values.get("temperature"));
  const work = workConfigOf(given);
  if (url === undefined) return undefined;
  const own = { kind: "openai", url, model, keyFile, temperature, extraBody } as const;
  const maxResponseBytes = responseBytes(given, work.embed);
  return { ...common, ...own, ...work, ...remote, maxResponseBytes };
}

/** Reads a hook of the kind `grpc`. */
export function readGrpc(common: CommonConfig, given: Given): GrpcConfig | undefined {
  const target = addressOf(given, "target", parseGrpcTarget);
  const tls = given.values.get("tls") === true;
  const remote = remoteOf(given, tls ? undefined : "tls");
  const tokenFile = secretOf(given, "token_file");
  const work = workConfigOf(given);
  if (target === undefined) return undefined;
  const maxResponseBytes = responseBytes(given, work.embed);
  const own = { kind: "grpc", target, tls, tokenFile } as const;
  return { ...common, ...own, ...work, ...remote, maxResponseBytes };
}
