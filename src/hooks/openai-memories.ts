// What hooks of the kind `openai` do for long-term memory: find facts, score texts, and settle
// contradictions, by one chat completion each.

import { jsonIn } from "../domain/memories/extract/answer.ts";
import type { DirectCall, Hook } from "../service/hook-port.ts";
import {
  checkedExtracted,
  checkedImportance,
  checkedResolution,
} from "../service/memory-answers.ts";
import { readCompletion } from "./chat-answer.ts";
import type { ChatRequest } from "./openai-chat.ts";
import { extractRequest, resolveRequest, scoreRequest } from "./prompts-memories.ts";

/** Asks a model; gives the body of a good answer. */
export type Chat = (call: DirectCall, request: ChatRequest) => Promise<Buffer>;

/** What a hook does for long-term memory, by a model. */
export function memoryWork(
  does: "extract" | "score" | "resolve",
  model: string,
  chat: Chat,
): Pick<Hook, "extract" | "score" | "resolve"> {
  const ask = async (call: DirectCall, request: ChatRequest) => {
    const completion = readCompletion(await chat(call, request), model);
    return { answer: jsonIn(completion.text), model: completion.model };
  };
  if (does === "extract") {
    return {
      extract: async (call, input) => {
        const { answer, model: name } = await ask(call, extractRequest(input));
        return { ...checkedExtracted(answer, input), model: name };
      },
    };
  }
  if (does === "score") {
    return {
      score: async (call, texts) =>
        checkedImportance((await ask(call, scoreRequest(texts))).answer, texts.length),
    };
  }
  return {
    resolve: async (call, input) =>
      checkedResolution((await ask(call, resolveRequest(input))).answer),
  };
}
