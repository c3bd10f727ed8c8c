// Answers of the scripted models of the SDK.

import { MockLanguageModelV4, simulateReadableStream } from "ai/test";

type Generated = Awaited<ReturnType<MockLanguageModelV4["doGenerate"]>>;
type Streamed = Awaited<ReturnType<MockLanguageModelV4["doStream"]>>;
type Chunk = Streamed["stream"] extends ReadableStream<infer One> ? One : never;

const usage: Generated["usage"] = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** An answer with a text. */
export function said(text: string): Generated {
  return {
    ...{ content: [{ type: "text", text }], warnings: [], usage },
    finishReason: { unified: "stop", raw: undefined },
  };
}

/** An answer that calls a tool. */
export function called(toolCallId: string, toolName: string, input: object): Generated {
  const call = { type: "tool-call" as const, toolCallId, toolName, input: JSON.stringify(input) };
  return {
    ...{ content: [call], warnings: [], usage },
    finishReason: { unified: "tool-calls", raw: undefined },
  };
}

/** An answer as a stream. */
export function streamed({ content, finishReason }: Generated): Streamed {
  const chunks = content.flatMap((part): Chunk[] => {
    if (part.type === "tool-call") return [part];
    if (part.type !== "text") return [];
    return [
      { type: "text-start", id: "1" },
      { type: "text-delta", id: "1", delta: part.text },
      { type: "text-end", id: "1" },
    ];
  });
  const start: Chunk = { type: "stream-start", warnings: [] };
  const finish: Chunk = { type: "finish", finishReason, usage };
  return { stream: simulateReadableStream({ chunks: [start, ...chunks, finish] }) };
}

/** A model that answers so, one after the other. */
export function scripted(...answers: readonly Generated[]): MockLanguageModelV4 {
  return new MockLanguageModelV4({ doGenerate: [...answers] });
}
