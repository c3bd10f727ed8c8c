// Hooks of the kind `poll`: workers do their work. What is no task of its own, all but summaries,
// is only named here: the services hand it to workers.

import type { Hook } from "../service/hook-port.ts";
import type { PollConfig } from "./config-types.ts";
import { modelId } from "./vectors.ts";

/** Makes a hook whose tasks workers take. */
export function createPollHook({ name, settings, does, embed }: PollConfig): Hook {
  const hook = { name, kind: "poll", settings } as const;
  if (embed !== undefined) {
    const { dimensions, batchSize } = embed;
    const model = modelId(name, dimensions, []);
    return { ...hook, polled: { does: "embed", model, dimensions, batchSize } };
  }
  // One that makes vectors has its length and its model above.
  return does === "summarize" || does === "embed" ? hook : { ...hook, polled: { does } };
}
