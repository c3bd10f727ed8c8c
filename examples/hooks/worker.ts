// A worker: takes tasks of a hook of the kind `poll` and does them with its own model.
//
//   node worker.ts ADDRESS HOOK

import { connect, runWorker, type SummarizeInput } from "../../clients/typescript/src/index.ts";

/** Stands where your model would: the beginning of each line of the transcript. */
function summarize({ transcript, priorTexts, replacesPrior, maxTokens }: SummarizeInput) {
  const lines = transcript.split("\n").map((line) => line.slice(0, 60));
  // Earlier summaries are repeated only when the new text replaces them.
  const known = replacesPrior ? priorTexts : [];
  const text = [...known, ...lines].join("\n").slice(0, maxTokens * 4);
  return { text, model: "beginnings" };
}

const [address = "127.0.0.1:50151", hooks = "agents"] = process.argv.slice(2);
const memory = connect(address);
const stop = new AbortController();
process.once("SIGTERM", () => stop.abort());
await runWorker(memory, { hooks, summarize, signal: stop.signal, workerId: `node-${process.pid}` });
memory.close();
