import { createHash } from "node:crypto";
import { LIMITS } from "../kit/limits.ts";
import { isJsonObject, type JsonObject } from "../kit/text.ts";
import { jsonIn } from "../memory/extract/check.ts";
import type { SummaryOutput } from "../summary/rules/summary.ts";
import type { Resolve } from "./address-guard.ts";
import { readChatAnswer, readCompletion } from "./chat-answer.ts";
import type { OpenAiConfig } from "./config-types.ts";
import { callSemaphore, Deadline } from "./deadline.ts";
import { type HttpAnswer, HttpClient, retryAfterMs } from "./http-client.ts";
import { bodyOf, createAsk, type Line } from "./openai-chat.ts";
import {
  type AskWork,
  type DirectCall,
  type DirectWork,
  type EmbedConfig,
  type EmbedderModel,
  type Hook,
  type HookCall,
  HookFailure,
  type SummarizeInput,
} from "./port.ts";
import { answerForm, type ChatRequest, promptFor, wantsJson } from "./prompts.ts";
import type { SecretFile } from "./secret-file.ts";
import { embedderOf, workRow } from "./works.ts";

const HASH_CHARS = 12;

/** Names an embedding model: another name for another model, length or way to write texts. */
export function modelId(model: string, dimensions: number, recipe: readonly string[]): string {
  const written = recipe.every((part) => part === "") ? "" : `#${hash(recipe)}`;
  const id = `${model}@${dimensions}${written}`;
  if (Buffer.byteLength(id) <= LIMITS.embeddingModelBytes) return id;
  return `${hash([model])}@${dimensions}${written}`;
}

/** The model of a hook whose endpoint makes vectors in this form. */
export function modelOf(
  name: string,
  { dimensions, batchSize }: EmbedConfig,
  recipe: readonly string[] = [],
): EmbedderModel {
  return { model: modelId(name, dimensions, recipe), dimensions, batchSize };
}

function hash(parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, HASH_CHARS);
}

// Endpoints for texts: vectors (`/embeddings`, as OpenAI does it) and their order (`/rerank`, as
// Jina, Cohere, vLLM, TEI and others do it).

const decoder = new TextDecoder("utf-8", { fatal: true });

function parse(body: Buffer): JsonObject {
  try {
    const value: unknown = JSON.parse(decoder.decode(body));
    if (isJsonObject(value)) return value;
  } catch {
    // Reported below: the parser's message quotes the answer.
  }
  throw new HookFailure("invalid-output", "The response is not a JSON object.");
}

/** The entries of a list of the answer, in the order of the texts. */
function entriesOf(list: unknown, count: number): readonly (JsonObject | undefined)[] {
  const entries = Array.isArray(list) ? (list as readonly unknown[]) : [];
  const placed: (JsonObject | undefined)[] = new Array(count).fill(undefined);
  entries.forEach((entry, at) => {
    if (!isJsonObject(entry)) return;
    const index = entry["index"] ?? at;
    const free = typeof index === "number" && Number.isInteger(index) && index < count;
    if (!free || index < 0 || placed[index] !== undefined || entries.length > count) {
      throw new HookFailure("invalid-output", "The response names a text that was not requested.");
    }
    placed[index] = entry;
  });
  return placed;
}

// Hooks of the kind `openai`: chat completions and embeddings as OpenAI, Ollama, vLLM, LM Studio,
// LiteLLM and others serve them, and rerankers. Failures never hold a prompt, an answer or a key.

/** A hook that holds connections. */
export interface ClosableHook extends Hook {
  close(): Promise<void>;
}

/** Parts of a hook of this kind. */
export interface OpenAiParts {
  readonly resolve: Resolve;
  readonly nowMs: () => number;
  /** Undefined when the endpoint needs no key. */
  readonly key: SecretFile | undefined;
  /** Certificates in PEM; undefined means those of Node. */
  readonly ca: string | undefined;
}

const JSON_ROOM_TOKENS = { density: 512, structured: 2_048 } as const;

/** Token limit for the model: twice the length, with room for the JSON around the text. */
function tokensMax(input: SummarizeInput): number {
  const form = answerForm(input);
  const density = form.density ? JSON_ROOM_TOKENS.density : 0;
  return 2 * input.maxTokens + density + (form.structured ? JSON_ROOM_TOKENS.structured : 0);
}

function requestOf(input: SummarizeInput): ChatRequest {
  const form = wantsJson(answerForm(input)) ? "json" : "text";
  return { messages: promptFor(input), tokensMax: tokensMax(input), form };
}

const REFUSED = new Set([400, 401, 403, 404, 405, 413, 415, 422]);
const BUSY = new Set([429, 503]);
const TIMEOUT = new Set([408, 504]);

function failureOf(answer: HttpAnswer, nowMs: number): HookFailure {
  const { status, headers } = answer;
  const message = `The endpoint answered with status ${status}.`;
  const retryDelayMs = retryAfterMs(headers["retry-after"], nowMs, LIMITS.retryDelayMsMax);
  if (BUSY.has(status)) return new HookFailure("busy", message, retryDelayMs);
  if (TIMEOUT.has(status)) return new HookFailure("timeout", message, retryDelayMs);
  if (REFUSED.has(status)) return new HookFailure("refused", message);
  return new HookFailure("hook-error", message, retryDelayMs);
}

/** Makes a hook of the kind `openai` for its work. */
export function createOpenAiHook(config: OpenAiConfig, parts: OpenAiParts): ClosableHook {
  const { url, allowPrivateAddress, maxResponseBytes } = config;
  const { resolve, ca } = parts;
  const client = new HttpClient({ url, allowPrivateAddress, ca, maxResponseBytes, resolve });
  const headers = (): Record<string, string> => ({
    "content-type": "application/json",
    accept: "application/json",
    "user-agent": "memory-sidecar",
    ...(parts.key === undefined ? {} : { authorization: `Bearer ${parts.key.current()}` }),
  });
  return {
    name: config.name,
    kind: "openai",
    settings: config.settings,
    ...workOf(config, { client, headers, nowMs: parts.nowMs }),
    close: async () => client.close(),
  };
}

function workOf(config: OpenAiConfig, line: Line): Partial<Hook> {
  const { does, embed } = config;
  if (does === "summarize") return { summarize: summarizer(config, line) };
  if (embed === undefined) return { [does]: asker(does, config, line) };
  const model = modelOf(config.model, embed, recipeOf(config));
  return { embedder: embedderOf(asker("embed", config, line), model) };
}

/** Calls the endpoint for work that a caller waits for, by a prompt or on a separate path. */
function asker<W extends DirectWork>(does: W, config: OpenAiConfig, line: Line): AskWork<W> {
  const { openai, check } = workRow(does);
  const turns = callSemaphore(config.settings.concurrency);
  const askModel = createAsk(config, line);
  const bodyIn = async (
    call: DirectCall,
    send: (deadline: Deadline) => Promise<HttpAnswer>,
  ): Promise<Buffer> => {
    using deadline = new Deadline(config.settings.timeoutMs, call.signal);
    const answer = await turns.run(deadline.signal, () => send(deadline));
    if (answer.status !== 200) throw failureOf(answer, line.nowMs());
    return answer.body;
  };
  if (typeof openai === "function") {
    return async (call, input) => {
      const request = openai(input);
      const answer = await bodyIn(call, (deadline) => askModel(request, deadline));
      const { text, model } = readCompletion(answer, config.model);
      return check(jsonIn(text), input, model);
    };
  }
  return async (call, input) => {
    const texts = openai.texts(config.embed, input);
    const body = bodyOf(config, openai.settings(config.embed, input), texts);
    const answer = await bodyIn(call, (deadline) =>
      line.client.post({ body, headers: line.headers(), deadline }),
    );
    const entries = entriesOf(openai.entries(parse(answer)), openai.count(input));
    return check(entries.map(openai.value), input);
  };
}

/** Settings that change the vectors of a model: prefixes, and fields of `extra_body`. */
function recipeOf({ embed, extraBody }: OpenAiConfig): readonly string[] {
  // The user of a request changes no vector.
  const told = Object.entries(extraBody).filter(([name]) => name !== "user");
  const prefixes = [embed?.passagePrefix ?? "", embed?.queryPrefix ?? ""];
  return told.length === 0 ? prefixes : [...prefixes, JSON.stringify(told.sort())];
}

/** Makes summaries by chat completions. */
function summarizer(config: OpenAiConfig, line: Line): NonNullable<Hook["summarize"]> {
  const ask = createAsk(config, line);
  return async (call: HookCall, input: SummarizeInput): Promise<SummaryOutput> => {
    using deadline = new Deadline(config.settings.timeoutMs, call.signal);
    const answer = await ask(requestOf(input), deadline);
    if (answer.status !== 200) throw failureOf(answer, line.nowMs());
    return readChatAnswer(answer.body, answerForm(input), config.model);
  };
}
