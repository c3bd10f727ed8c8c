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

/** What an endpoint turned out not to take; kept until the server stops. */
interface Refusals {
  responseFormat: boolean;
  maxTokens: boolean;
  temperature: boolean;
}

const JSON_ROOM_TOKENS = { density: 512, structured: 2_048 } as const;

/** How many tokens the model may use: twice the length, and room for what stands around it. */
function tokensMax(input: SummarizeInput): number {
  const form = answerForm(input);
  const density = form.density ? JSON_ROOM_TOKENS.density : 0;
  return 2 * input.maxTokens + density + (form.structured ? JSON_ROOM_TOKENS.structured : 0);
}

function requestBody(config: OpenAiConfig, input: SummarizeInput, refusals: Refusals): Buffer {
  const json = wantsJson(answerForm(input)) && !refusals.responseFormat;
  const fields: Record<string, unknown> = {
    model: config.model,
    [refusals.maxTokens ? "max_completion_tokens" : "max_tokens"]: tokensMax(input),
    ...(refusals.temperature ? {} : { temperature: config.temperature }),
    ...(json ? { response_format: { type: "json_object" } } : {}),
    ...config.extraBody,
    stream: false,
    messages: promptFor(input),
  };
  const kept = Object.entries(fields).filter(([, value]) => value !== null);
  return Buffer.from(JSON.stringify(Object.fromEntries(kept)));
}

/**
 * Looks for what a refusing endpoint may not know of the request. Gives what to leave out next;
 * undefined when nothing is left to try.
 */
function learn(body: Buffer, sent: Buffer, refusals: Refusals): Refusals | undefined {
  const said = body.toString("utf8");
  const had = JSON.parse(sent.toString("utf8")) as Readonly<Record<string, unknown>>;
  if (!refusals.maxTokens && "max_tokens" in had && said.includes("max_completion_tokens")) {
    return { ...refusals, maxTokens: true };
  }
  if (!refusals.temperature && "temperature" in had && /["'`]temperature["'`]/.test(said)) {
    return { ...refusals, temperature: true };
  }
  if (!refusals.responseFormat && "response_format" in had) {
    return { ...refusals, responseFormat: true };
  }
  return undefined;
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

/** What the work of a hook needs. */
interface Line {
  readonly client: HttpClient;
  readonly headers: () => Record<string, string>;
  readonly nowMs: () => number;
}

function workOf(config: OpenAiConfig, line: Line): Pick<Hook, "summarize" | "embedder" | "rerank"> {
  const { does, embed } = config;
  if (does === "summarize") return { summarize: summarizer(config, line) };
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

/** Calls that somebody waits for: one request, no task. Gives the body of a good answer. */
function directly(config: OpenAiConfig, line: Line) {
  const gate = new CallGate(config.settings.concurrency);
  return async (call: DirectCall, body: Buffer): Promise<Buffer> => {
    const deadline = new Deadline(config.settings.timeoutMs, call.signal);
    try {
      const answer = await gate.run(deadline, () =>
        line.client.post({ body, headers: line.headers(), deadline }),
      );
      if (answer.status !== 200) throw failureOf(answer, line.nowMs());
      return answer.body;
    } finally {
      deadline.close();
    }
  };
}

/** Makes summaries by chat completions. */
function summarizer(config: OpenAiConfig, line: Line): NonNullable<Hook["summarize"]> {
  const { client, headers } = line;
  let refusals: Refusals = { responseFormat: false, maxTokens: false, temperature: false };

  const ask = async (input: SummarizeInput, deadline: Deadline): Promise<HttpAnswer> => {
    let trial: Refusals | undefined = refusals;
    for (;;) {
      const body = requestBody(config, input, trial);
      const answer = await client.post({ body, headers: headers(), deadline });
      if (answer.status !== 400 && answer.status !== 422) {
        // What helped is remembered; what did not is not to blame.
        if (answer.status === 200) refusals = trial;
        return answer;
      }
      trial = learn(answer.body, body, trial);
      if (trial === undefined) return answer;
    }
  };

  return async (call: HookCall, input: SummarizeInput): Promise<SummaryOutput> => {
    const deadline = new Deadline(config.settings.timeoutMs, call.signal);
    try {
      const answer = await ask(input, deadline);
      if (answer.status !== 200) throw failureOf(answer, line.nowMs());
      return readChatAnswer(answer.body, answerForm(input), config.model);
    } finally {
      deadline.close();
    }
  };
}
