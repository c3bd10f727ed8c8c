// Parses the answers of models. Tolerant of the text that models wrap around an answer, strict
// about its content. Failures hold nothing of the answer.

import { LIMITS } from "../kit/limits.ts";
import { isJsonObject, type JsonObject } from "../kit/text.ts";
import type { SummaryOutput } from "../summary/rules/summary.ts";
import { HookFailure } from "./port.ts";
import { type AnswerForm, wantsJson } from "./prompts.ts";

const decoder = new TextDecoder("utf-8", { fatal: true });

function invalid(what: string): HookFailure {
  return new HookFailure("invalid-output", what);
}

function objectIn(value: unknown, name: string): JsonObject {
  const inner = isJsonObject(value) ? value[name] : undefined;
  return isJsonObject(inner) ? inner : {};
}

/** The text of a message: a string, or a list of parts with texts. */
function contentOf(message: JsonObject): string {
  const content = message["content"];
  if (typeof content === "string") return content;
  if (content === null || content === undefined) return "";
  const parts = Array.isArray(content) ? content : [undefined];
  const texts = parts.map((part: unknown) => (isJsonObject(part) ? part["text"] : undefined));
  if (texts.every((text) => typeof text === "string")) return texts.join("");
  throw invalid("The message of the response holds no text.");
}

/** Cuts the reasoning that some models put before their answer. */
export function withoutThoughts(text: string): string {
  const trimmed = text.trimStart();
  const end = trimmed.indexOf("</think>");
  if (trimmed.startsWith("<think>")) {
    // Reasoning without an end: the answer never came.
    return end < 0 ? "" : withoutThoughts(trimmed.slice(end + "</think>".length));
  }
  // Some servers remove the opening mark and leave the closing one on a separate line.
  const lone = /^<\/think>[ \t]*$/m.exec(trimmed);
  return lone === null || trimmed.includes("<think>")
    ? trimmed
    : trimmed.slice(lone.index + lone[0].length);
}

const FENCE = /^```[a-zA-Z]*[ \t]*\r?\n([\s\S]*?)\r?\n?```$/;

function parseJson(text: string): JsonObject {
  const trimmed = text.trim();
  const inner = (FENCE.exec(trimmed)?.[1] ?? trimmed).trim();
  const start = inner.indexOf("{");
  const end = inner.lastIndexOf("}");
  let value: unknown;
  try {
    value = JSON.parse(start < 0 ? inner : inner.slice(start, end + 1));
  } catch {
    // The parser's message quotes the answer, so it is left out.
    throw invalid("The model's response is not the requested JSON.");
  }
  if (!isJsonObject(value)) throw invalid("The model's answer is not a JSON object.");
  return value;
}

function textField(json: JsonObject, name: string): string {
  const value = json[name];
  if (typeof value !== "string") throw invalid(`The model's JSON lacks the text ${name}.`);
  return checked(value.trim());
}

function listField(json: JsonObject, name: string): readonly string[] {
  const value = json[name];
  if (!Array.isArray(value) || !value.every((item) => typeof item === "string")) {
    throw invalid(`The model's JSON lacks the list of texts ${name}.`);
  }
  return value.map((item: string) => checked(item.trim())).filter((item) => item !== "");
}

function checked(text: string): string {
  if (!text.isWellFormed()) throw invalid("The model's answer is not valid Unicode.");
  return text;
}

function countIn(usage: JsonObject, name: string): number {
  const value = usage[name];
  const isCount = typeof value === "number" && Number.isInteger(value) && value >= 0;
  return isCount && value <= LIMITS.hookTokens ? value : 0;
}

function bodyOf(body: Buffer): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(decoder.decode(body));
  } catch {
    throw invalid("The body of the answer is not JSON.");
  }
  const choices = isJsonObject(value) ? value["choices"] : undefined;
  if (!isJsonObject(value) || !Array.isArray(choices) || !isJsonObject(choices[0])) {
    throw invalid("The body of the answer is not a chat completion.");
  }
  return value;
}

/** The name of a model, if it fits. */
function modelOf(body: JsonObject, model: string): string {
  const given = body["model"];
  const name = typeof given === "string" && given !== "" ? given : model;
  return name.isWellFormed() && Buffer.byteLength(name) <= LIMITS.hookModelBytes ? name : "";
}

function outputOf(text: string, form: AnswerForm) {
  if (!wantsJson(form)) {
    return {
      text: checked(text),
      missingEntities: [],
      requestText: "",
      facts: [],
      openThreads: [],
    };
  }
  const json = parseJson(text);
  const { density, structured } = form;
  return {
    text: textField(json, "summary"),
    missingEntities: density ? listField(json, "missing_entities") : [],
    requestText: structured ? textField(json, "user_request_summary") : "",
    facts: structured ? listField(json, "salient_facts") : [],
    openThreads: structured ? listField(json, "open_threads") : [],
  };
}

/** Text of a model and the tokens it took. */
export interface Completion {
  /** Without reasoning; never empty. */
  readonly text: string;
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/**
 * Reads the body of a chat completion. Throws HookFailure: `invalid-output`, `empty-output`,
 * `output-too-long` when the model was cut off, `refused` when it declined.
 */
export function readCompletion(body: Buffer, model: string): Completion {
  const completion = bodyOf(body);
  const choice = (completion["choices"] as readonly unknown[])[0] as JsonObject;
  const finish = choice["finish_reason"];
  const message = objectIn(choice, "message");
  if (typeof message["refusal"] === "string" || finish === "content_filter") {
    throw new HookFailure("refused", "The model declined to answer.");
  }
  if (finish === "length") {
    throw new HookFailure("output-too-long", "The model reached its token limit.");
  }
  const text = withoutThoughts(contentOf(message)).trim();
  if (text === "") throw new HookFailure("empty-output", "The model returned an empty response.");
  const usage = objectIn(completion, "usage");
  return {
    text,
    model: modelOf(completion, model),
    inputTokens: countIn(usage, "prompt_tokens"),
    outputTokens: countIn(usage, "completion_tokens"),
  };
}

/** Reads the body of a chat completion that is a summary. Throws HookFailure as above. */
export function readChatAnswer(body: Buffer, form: AnswerForm, model: string): SummaryOutput {
  const { text, ...rest } = readCompletion(body, model);
  const output = outputOf(text, form);
  if (output.text === "") throw new HookFailure("empty-output", "The summary is empty.");
  return { ...output, ...rest };
}
