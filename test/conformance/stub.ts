// The model of a case: it answers what the case says, in the order of the calls.

import type { SummarizeInput, SummarizeOutput } from "../../src/gen/memorysidecar/v1/task.ts";
import { isObject, type Json, listOf, textOf } from "./json.ts";

/** Answer of a scripted model: an output, unreadable text, or a failure. */
export type StubAnswer = Partial<SummarizeOutput> | "unreadable" | "failed";

/** A model that answers what a case says. */
export interface Stub {
  /** Requests to the model, in order. */
  readonly inputs: readonly SummarizeInput[];
  /** Whether the case gives a model at all. */
  readonly present: boolean;
  /** Answers; fails when the case says so, or has no answer left. */
  answer(input: SummarizeInput): StubAnswer;
}

/** A model that nobody asks. */
export const NO_MODEL = openStub(undefined);

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function texts(value: Json | undefined): string[] {
  return listOf(value, "a list of an answer").map((each) => String(each));
}

/**
 * Converts the model's text to the answer that the caller gets. A model that is asked for fields
 * writes JSON.
 */
function answerOf(said: Json | undefined, structured: boolean): StubAnswer {
  const value = typeof said === "string" && structured ? parsed(said) : said;
  if (typeof value === "string" && !structured) return { text: value };
  if (typeof said === "string" && !isObject(value)) return "unreadable";
  if (!isObject(value) || "error" in value) return "failed";
  return {
    text: textOf(value["summary"] ?? value["text"], "summary") ?? "",
    missingEntities: texts(value["missing_entities"]),
    requestText: textOf(value["user_request_summary"], "user_request_summary") ?? "",
    facts: texts(value["salient_facts"]),
    openThreads: texts(value["open_threads"]),
  };
}

/** Makes a stub of the answers of a case: one for all calls, or a list of them. */
export function openStub(answers: Json | undefined, model = ""): Stub {
  const inputs: SummarizeInput[] = [];
  const list = Array.isArray(answers) ? answers : undefined;
  const answer = (input: SummarizeInput): StubAnswer => {
    const said: Json | undefined = list === undefined ? answers : list[inputs.length];
    inputs.push(input);
    const made = answerOf(said, input.structured);
    return typeof made === "string" ? made : { ...made, model };
  };
  return {
    inputs,
    present: answers !== undefined && answers !== null,
    answer,
  };
}
