// Chat completions of an endpoint. Parameters that the endpoint rejects are left out until the
// server stops.

import type { JsonObject } from "../kit/text.ts";
import type { OpenAiConfig } from "./config-types.ts";
import type { Deadline } from "./deadline.ts";
import type { HttpAnswer, HttpClient } from "./http-client.ts";
import type { ChatRequest } from "./prompts.ts";

/** Dependencies of the calls to an endpoint. */
export interface Line {
  readonly client: HttpClient;
  readonly headers: () => Record<string, string>;
  readonly nowMs: () => number;
}

/** Request parameters that an endpoint has rejected. */
interface Refusals {
  readonly schema: boolean;
  readonly responseFormat: boolean;
  readonly maxTokens: boolean;
  readonly temperature: boolean;
}

function formatOf(form: ChatRequest["form"], refusals: Refusals): Record<string, unknown> {
  if (form === "text" || refusals.responseFormat) return {};
  if (form === "json" || refusals.schema) return { response_format: { type: "json_object" } };
  const schema = { name: form.name, schema: form.schema, strict: true };
  return { response_format: { type: "json_schema", json_schema: schema } };
}

/** A request: the operator's fields override `own`, but never the fields that hold the texts. */
export function bodyOf(config: OpenAiConfig, own: JsonObject, texts: JsonObject): Buffer {
  const all = { model: config.model, ...own, ...config.extraBody, ...texts };
  const kept = Object.entries(all).filter(([, value]) => value !== null);
  return Buffer.from(JSON.stringify(Object.fromEntries(kept)));
}

function requestBody(config: OpenAiConfig, request: ChatRequest, refusals: Refusals): Buffer {
  const own = {
    [refusals.maxTokens ? "max_completion_tokens" : "max_tokens"]: request.tokensMax,
    ...(refusals.temperature ? {} : { temperature: config.temperature }),
    ...formatOf(request.form, refusals),
  };
  return bodyOf(config, own, { stream: false, messages: request.messages });
}

/**
 * Finds a request parameter that the endpoint may have rejected. Returns the parameters to leave
 * out next; undefined when nothing is left to try.
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
  const format = had["response_format"] as Readonly<Record<string, unknown>> | undefined;
  if (!refusals.schema && format?.["type"] === "json_schema") return { ...refusals, schema: true };
  if (!refusals.responseFormat && format !== undefined) {
    return { ...refusals, responseFormat: true };
  }
  return undefined;
}

/** Sends a request to a model; returns any answer. */
export type AskModel = (request: ChatRequest, deadline: Deadline) => Promise<HttpAnswer>;

/** Makes the function that asks an endpoint's model. */
export function createAsk(config: OpenAiConfig, { client, headers }: Line): AskModel {
  let refusals: Refusals = {
    ...{ schema: false, responseFormat: false, maxTokens: false, temperature: false },
  };
  return async (request, deadline) => {
    let trial: Refusals | undefined = refusals;
    for (;;) {
      const body = requestBody(config, request, trial);
      const answer = await client.post({ body, headers: headers(), deadline });
      if (answer.status !== 400 && answer.status !== 422) {
        // Only a trial that succeeds is remembered: a failed one does not show what was rejected.
        if (answer.status === 200) refusals = trial;
        return answer;
      }
      trial = learn(answer.body, body, trial);
      if (trial === undefined) return answer;
    }
  };
}
