// The thread that counts tokens by byte pair encoding. Tables are loaded with the first count of
// their rule. Special tokens in the text are plain text here.

import { parentPort } from "node:worker_threads";
import { bpePieces } from "../window/policy/tokens.ts";
import type { BpeAnswer, BpeRequest } from "./token-counter.ts";

type Count = (text: string) => number;

const NOTHING_SPECIAL = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };

async function load(rule: BpeRequest["rule"]): Promise<Count> {
  const { countTokens } =
    rule === "o200k"
      ? await import("gpt-tokenizer/encoding/o200k_base")
      : await import("gpt-tokenizer/encoding/cl100k_base");
  return (text) => countTokens(text, NOTHING_SPECIAL);
}

const counters = new Map<BpeRequest["rule"], Promise<Count>>();

function counterOf(rule: BpeRequest["rule"]): Promise<Count> {
  let counter = counters.get(rule);
  if (counter === undefined) {
    counter = load(rule);
    counters.set(rule, counter);
  }
  return counter;
}

async function answer(request: BpeRequest): Promise<BpeAnswer> {
  try {
    const count = await counterOf(request.rule);
    const counts = request.messages.map((texts) => {
      let sum = 0;
      for (const text of texts) for (const piece of bpePieces(text)) sum += count(piece);
      return sum;
    });
    return { id: request.id, counts };
  } catch (error) {
    return { id: request.id, error: error instanceof Error ? error.name : "unknown" };
  }
}

parentPort?.on("message", (request: BpeRequest) => {
  void answer(request).then((result) => parentPort?.postMessage(result));
});
