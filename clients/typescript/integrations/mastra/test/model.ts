// A scripted model, and an agent with it.

import { Agent } from "@mastra/core/agent";
import { MastraCompositeStore } from "@mastra/core/storage";
import { MastraLanguageModelV2Mock } from "@mastra/core/test-utils/llm-mock";
import { createTool } from "@mastra/core/tools";
import { Memory } from "@mastra/memory";
import { z } from "zod";
import type { SidecarMemory } from "../src/memory.ts";

/** Answer of the model: a text, or the call of the tool. */
export type Step = string | { readonly place: string };

/** Makes an agent with a tool that looks at a place, and a model that follows a script. */
export function makeAgent(
  memory: SidecarMemory,
  script: readonly Step[],
  look: (place: string) => Promise<string> = async (place) => `Storks at ${place}.`,
) {
  let step = 0;
  const model = new MastraLanguageModelV2Mock({
    doGenerate: async () => {
      step += 1;
      return answerOf(script[step - 1] ?? "", step) as never;
    },
  });
  const tool = createTool({
    ...{ id: "look", description: "Looks at a place." },
    inputSchema: z.object({ place: z.string() }),
    execute: async ({ place }) => ({ seen: await look(place) }),
  });
  const storage = new MastraCompositeStore({ id: "main", domains: { memory } });
  const agent = new Agent({
    ...{ id: "looker", name: "looker", instructions: "You look for storks." },
    ...{ model: model as never, tools: { look: tool }, memory: new Memory({ storage }) },
  });
  return { agent, model };
}

/** The texts of a prompt that the model got, without the instructions. */
export function promptOf(call: { readonly prompt: unknown } | undefined): string[] {
  const prompt = (call?.prompt ?? []) as { role: string; content: { text?: string }[] }[];
  return prompt
    .filter(({ role }) => role !== "system")
    .map(({ content }) => content.map(({ text }) => text ?? "").join(""));
}

function answerOf(step: Step, index: number) {
  const isText = typeof step === "string";
  const call = { toolCallId: `c${index}`, toolName: "look", input: JSON.stringify(step) };
  return {
    finishReason: isText ? "stop" : "tool-calls",
    usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
    warnings: [],
    content: [isText ? { type: "text", text: step } : { type: "tool-call", ...call }],
  };
}
