// The thread of the builtin summarizer.

import { parentPort } from "node:worker_threads";
import { summarizeInSections } from "../summary/builtin/sections.ts";
import { summarizeLines } from "../summary/builtin/summarize.ts";
import type { BuiltinAnswer, BuiltinRequest } from "./builtin.ts";

function answer({ lines, options, structured }: BuiltinRequest): BuiltinAnswer {
  if (structured) return summarizeInSections(lines, options);
  const { text } = summarizeLines(lines, options);
  return { text, requestText: "", facts: [], openThreads: [] };
}

parentPort?.on("message", (request: BuiltinRequest) => {
  parentPort?.postMessage(answer(request));
});
