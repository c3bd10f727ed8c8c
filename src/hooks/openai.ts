// Hooks of the kind `openai`: chat completions and embeddings as OpenAI, Ollama, vLLM, LM Studio,
// LiteLLM and others serve them, and rerankers. No word of a prompt, an answer or a key gets into a
// failure.

import { LIMITS } from "../domain/limits.ts";
import type { SummaryOutput } from "../domain/summaries/summary.ts";
import {
  type DirectCall,
  type Hook,
  type HookCall,
  HookFailure,
  type SummarizeInput,
} from "../service/hook-port.ts";
import type { Resolve } from "./address-guard.ts";
import { CallGate } from "./call-gate.ts";
import { readChatAnswer } from "./chat-answer.ts";
import type { OpenAiConfig } from "./config-types.ts";
import { Deadline } from "./deadline.ts";
import { type HttpAnswer, HttpClient } from "./http-client.ts";
import { type ChatRequest, createAsk, type Line } from "./openai-chat.ts";
import { type Chat, memoryWork } from "./openai-memories.ts";
import { embedBody, readScores, readVectors, rerankBody } from "./openai-vectors.ts";
import { answerForm, promptFor, wantsJson } from "./prompts.ts";
import { retryAfterMs } from "./retry-after.ts";
import type { SecretFile } from "./secret-file.ts";
import { modelId } from "./vectors.ts";

/** A hook that holds connections. */
export interface ClosableHook extends Hook {
  close(): Promise<void>;
}

/** What a hook of this kind needs. */
export interface OpenAiParts {
  readonly resolve: Resolve;
  readonly nowMs: () => number;
  /** Undefined when the endpoint needs no key. */
  readonly key: SecretFile | undefined;
  /** Certificates in PEM; undefined means those of Node. */
  readonly ca: string | undefined;
}

const JSON_ROOM_TOKENS = { density: 512, structured: 2_048 } as const;

/** How many tokens the model may use: twice the length, and room for what stands around it. */
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
  const options = retryDelayMs === undefined ? {} : { retryDelayMs };
  if (BUSY.has(status)) return new HookFailure("busy", message, options);
  if (TIMEOUT.has(status)) return new HookFailure("timeout", message, options);
  if (REFUSED.has(status)) return new HookFailure("refused", message);
  return new HookFailure("hook-error", message, options);
}

/** Makes a hook of the kind `openai` for whatever it is for. */
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

type Work = Pick<Hook, "summarize" | "embedder" | "rerank" | "extract" | "score" | "resolve">;

function workOf(config: OpenAiConfig, line: Line): Work {
  const { does, embed } = config;
  if (does === "summarize") return { summarize: summarizer(config, line) };
  if (does === "extract" || does === "score" || does === "resolve") {
    return memoryWork(does, config.model, chatter(config, line));
  }
  const ask = directly(config, line);
  if (embed === undefined) {
    return {
      rerank: async (call, query, texts) =>
        readScores(await ask(call, rerankBody(config, query, texts)), texts.length),
    };
  }
  const { dimensions, batchSize, queryPrefix, passagePrefix } = embed;
  return {
    embedder: {
      model: modelId(config.model, dimensions, recipeOf(config)),
      dimensions,
      batchSize,
      embed: async (call, texts, purpose) => {
        const prefix = purpose === "query" ? queryPrefix : passagePrefix;
        const written = prefix === "" ? texts : texts.map((text) => prefix + text);
        return readVectors(await ask(call, embedBody(config, written)), texts.length, dimensions);
      },
    },
  };
}

/** What makes vectors others with the same model: prefixes, and what the operator has it told. */
function recipeOf({ embed, extraBody }: OpenAiConfig): readonly string[] {
  // Who asks changes no vector.
  const told = Object.entries(extraBody).filter(([name]) => name !== "user");
  const prefixes = [embed?.passagePrefix ?? "", embed?.queryPrefix ?? ""];
  return told.length === 0 ? prefixes : [...prefixes, JSON.stringify(told.sort())];
}

/** Calls that somebody waits for: no task. Gives the body of a good answer. */
function inTurn(
  config: OpenAiConfig,
  line: Line,
): (call: DirectCall, send: (deadline: Deadline) => Promise<HttpAnswer>) => Promise<Buffer> {
  const gate = new CallGate(config.settings.concurrency);
  return async (call, send) => {
    const deadline = new Deadline(config.settings.timeoutMs, call.signal);
    try {
      const answer = await gate.run(deadline, () => send(deadline));
      if (answer.status !== 200) throw failureOf(answer, line.nowMs());
      return answer.body;
    } finally {
      deadline.close();
    }
  };
}

/** Sends a body as it is. */
function directly(config: OpenAiConfig, line: Line) {
  const run = inTurn(config, line);
  return async (call: DirectCall, body: Buffer): Promise<Buffer> =>
    await run(call, (deadline) => line.client.post({ body, headers: line.headers(), deadline }));
}

/** Asks a model. */
function chatter(config: OpenAiConfig, line: Line): Chat {
  const run = inTurn(config, line);
  const ask = createAsk(config, line);
  return async (call, request) => await run(call, (deadline) => ask(request, deadline));
}

/** Makes summaries by chat completions. */
function summarizer(config: OpenAiConfig, line: Line): NonNullable<Hook["summarize"]> {
  const ask = createAsk(config, line);
  return async (call: HookCall, input: SummarizeInput): Promise<SummaryOutput> => {
    const deadline = new Deadline(config.settings.timeoutMs, call.signal);
    try {
      const answer = await ask(requestOf(input), deadline);
      if (answer.status !== 200) throw failureOf(answer, line.nowMs());
      return readChatAnswer(answer.body, answerForm(input), config.model);
    } finally {
      deadline.close();
    }
  };
}
