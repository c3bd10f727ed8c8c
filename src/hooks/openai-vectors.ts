// What endpoints are sent and answer for vectors (`/embeddings`, as OpenAI does it) and for the
// order of texts (`/rerank`, as Jina, Cohere, vLLM, TEI and others do it).

import { HookFailure } from "../service/hook-port.ts";
import { checkedScores, checkedVectors } from "../service/vector-answers.ts";
import type { OpenAiConfig } from "./config-types.ts";

type Json = Readonly<Record<string, unknown>>;

const decoder = new TextDecoder("utf-8", { fatal: true });

function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A request: what the operator sets wins over `own`, and never over what says the texts. */
function bodyOf(config: OpenAiConfig, own: Json, texts: Json): Buffer {
  const all = { model: config.model, ...own, ...config.extraBody, ...texts };
  const kept = Object.entries(all).filter(([, value]) => value !== null);
  return Buffer.from(JSON.stringify(Object.fromEntries(kept)));
}

function parse(body: Buffer): Json {
  try {
    const value: unknown = JSON.parse(decoder.decode(body));
    if (isJson(value)) return value;
  } catch {
    // Told below: what a parser says quotes the answer.
  }
  throw new HookFailure("invalid-output", "The answer is no JSON object.");
}

/** The entries of a list of the answer, in the order of the texts. */
function entriesOf(list: unknown, count: number): readonly (Json | undefined)[] {
  const entries = Array.isArray(list) ? (list as readonly unknown[]) : [];
  const placed: (Json | undefined)[] = new Array(count).fill(undefined);
  entries.forEach((entry, at) => {
    if (!isJson(entry)) return;
    const index = entry["index"] ?? at;
    const free = typeof index === "number" && Number.isInteger(index) && index < count;
    if (!free || index < 0 || placed[index] !== undefined || entries.length > count) {
      throw new HookFailure("invalid-output", "The answer names a text that was not asked for.");
    }
    placed[index] = entry;
  });
  return placed;
}

/** The request for vectors; the texts have their prefixes. */
export function embedBody(config: OpenAiConfig, texts: readonly string[]): Buffer {
  const { embed } = config;
  const own = embed?.sendDimensions === true ? { dimensions: embed.dimensions } : {};
  return bodyOf(config, own, { input: texts, encoding_format: "float" });
}

/** Reads vectors. Throws HookFailure `invalid-output`. */
export function readVectors(body: Buffer, count: number, dimensions: number): Float32Array[] {
  const entries = entriesOf(parse(body)["data"], count);
  return checkedVectors(
    entries.map((entry) => entry?.["embedding"]),
    count,
    dimensions,
  );
}

/** The request for an order. */
export function rerankBody(config: OpenAiConfig, query: string, texts: readonly string[]): Buffer {
  const own = { top_n: texts.length, return_documents: false };
  return bodyOf(config, own, { query, documents: texts });
}

/** Reads scores. Throws HookFailure `invalid-output`. */
export function readScores(body: Buffer, count: number): number[] {
  const answer = parse(body);
  const entries = entriesOf(answer["results"] ?? answer["data"], count);
  return checkedScores(
    entries.map((entry) => entry?.["relevance_score"] ?? entry?.["score"]),
    count,
  );
}
