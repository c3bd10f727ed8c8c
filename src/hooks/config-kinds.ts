// Reads the hooks of each kind.

import { statSync } from "node:fs";
import { LIMITS } from "../kit/limits.ts";
import type { JsonObject } from "../kit/text.ts";
import { missingModelFile } from "../recall/embed/onnx-directory.ts";
import {
  type CommonConfig,
  fileOf,
  type GrpcConfig,
  type OnnxConfig,
  type OpenAiConfig,
  type PollConfig,
  parsed,
  type Reader,
  type Reading,
  readCertificates,
  type Values,
} from "./config-types.ts";
import { parseEndpointUrl, parseGrpcTarget } from "./endpoint.ts";
import { HOOK_WORKS, type HookFieldName, type HookWork, hookField } from "./fields.ts";
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

function remoteOf(values: Values, path: string, reading: Reading) {
  return {
    caFile: fileOf(values, "ca_file", { path, reading, read: readCertificates }),
    maxResponseBytes: Number(values.get("max_response_bytes")),
    allowPrivateAddress: values.get("allow_private_address") === true,
  };
}

function secretReader({ allowExposedSecrets }: Reading): Reader {
  return (file) => readSecret(file, allowExposedSecrets);
}

/** Most bytes of one vector value in an answer, and of the JSON around the values. */
const VALUE_BYTES = 24;
const AROUND_BYTES = 65_536;

/** Largest answer that is read, in bytes: a whole batch of vectors always fits. */
function responseBytes(set: number, embed: EmbedConfig | undefined): number {
  if (embed === undefined || Number.isNaN(embed.dimensions)) return set;
  return Math.max(set, embed.batchSize * embed.dimensions * VALUE_BYTES + AROUND_BYTES);
}

/** Form in which a hook makes vectors; undefined for one that makes none. */
function embedOf(
  does: HookWork,
  values: Values,
  path: string,
  reading: Reading,
): EmbedConfig | undefined {
  if (does !== "embed") return undefined;
  const dimensions = values.get("dimensions");
  if (dimensions === undefined) reading.problems.push(`${path}.dimensions is required`);
  return {
    dimensions: Number(dimensions),
    sendDimensions: values.get("send_dimensions") === true,
    batchSize: Number(values.get("batch_size")),
    queryPrefix: String(values.get("query_prefix") ?? ""),
    passagePrefix: String(values.get("passage_prefix") ?? ""),
  };
}

function worksFor(values: Values): HookWork {
  return HOOK_WORKS.find((known) => known === values.get("does")) ?? "summarize";
}

/** Reads a hook of the kind `onnx`. */
export function readOnnx(
  common: CommonConfig,
  values: Values,
  path: string,
  reading: Reading,
): OnnxConfig | undefined {
  const hasModel: Reader = (name) => {
    if (!statSync(name).isDirectory()) throw new Error("it is no directory");
    const missing = missingModelFile(name);
    if (missing !== undefined) throw new Error(`${missing} is missing in it`);
  };
  const from = { path, reading, read: hasModel };
  const directory = fileOf(values, "directory", from);
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
export function readPoll(
  common: CommonConfig,
  values: Values,
  path: string,
  reading: Reading,
): PollConfig {
  const does = worksFor(values);
  const embed = embedOf(does, values, path, reading);
  const most = LIMITS.taskVectorValues;
  // A whole batch comes in one request.
  if (embed !== undefined && embed.batchSize * embed.dimensions > most) {
    reading.problems.push(`${path}.batch_size times dimensions must be at most ${most}`);
  }
  return { ...common, kind: "poll", does, embed };
}

/** Reads a hook of the kind `openai`. */
export function readOpenAi(
  common: CommonConfig,
  values: Values,
  path: string,
  reading: Reading,
): OpenAiConfig | undefined {
  const text = values.get("url");
  const does = worksFor(values);
  const url = parsed(() => parseEndpointUrl(String(text), does), `${path}.url`, {
    ...reading,
    problems: text === undefined ? [] : reading.problems,
  });
  const extraBody = (values.get("extra_body") ?? {}) as JsonObject;
  const openai = does === "summarize" ? undefined : workRow(does).openai;
  const texts = typeof openai === "object" ? openai.textFields : ["messages"];
  for (const name of [...texts, "stream"]) {
    if (name in extraBody) reading.problems.push(`${path}.extra_body cannot change ${name}`);
  }
  const remote = remoteOf(values, path, reading);
  if (remote.caFile !== undefined && url?.protocol === "http:") {
    reading.problems.push(`${path}.ca_file needs a url that begins with https://`);
  }
  const keyFile = fileOf(values, "key_file", { path, reading, read: secretReader(reading) });
  const model = String(values.get("model"));
  const temperature = Number(values.get("temperature"));
  const embed = embedOf(does, values, path, reading);
  if (url === undefined) return undefined;
  const own = { kind: "openai", does, embed, url, model, keyFile, temperature, extraBody } as const;
  const maxResponseBytes = responseBytes(remote.maxResponseBytes, embed);
  return { ...common, ...own, ...remote, maxResponseBytes };
}

/** Reads a hook of the kind `grpc`. */
export function readGrpc(
  common: CommonConfig,
  values: Values,
  path: string,
  reading: Reading,
): GrpcConfig | undefined {
  const text = values.get("target");
  const target = parsed(() => parseGrpcTarget(String(text)), `${path}.target`, {
    ...reading,
    problems: text === undefined ? [] : reading.problems,
  });
  const tls = values.get("tls") === true;
  const remote = remoteOf(values, path, reading);
  if (remote.caFile !== undefined && !tls) reading.problems.push(`${path}.ca_file needs tls`);
  const tokenFile = fileOf(values, "token_file", { path, reading, read: secretReader(reading) });
  const does = worksFor(values);
  const embed = embedOf(does, values, path, reading);
  if (target === undefined) return undefined;
  const maxResponseBytes = responseBytes(remote.maxResponseBytes, embed);
  const own = { kind: "grpc", does, embed, target, tls, tokenFile } as const;
  return { ...common, ...own, ...remote, maxResponseBytes };
}
