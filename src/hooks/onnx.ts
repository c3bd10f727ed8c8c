// Hooks of the kind `onnx`: a sentence transformer of the operator, run in a thread of the server.

import { LIMITS } from "../kit/limits.ts";
import { openOnnxEmbedder } from "../recall/embed/onnx.ts";
import type { OnnxConfig } from "./config-types.ts";
import { callSemaphore, Deadline } from "./deadline.ts";
import { type ClosableHook, modelId } from "./openai.ts";
import { HookFailure } from "./port.ts";

/**
 * Loads the model and makes the hook. Throws an Error for the operator when the directory, or the
 * package that runs it, cannot be used.
 */
export async function createOnnxHook(config: OnnxConfig): Promise<ClosableHook> {
  const { name, batchSize, settings } = config;
  const { timeoutMs, concurrency } = settings;
  const model = await openOnnxEmbedder({ ...config, timeoutMs });
  const turns = callSemaphore(concurrency);
  const { dimensions } = model;
  const isShort = Buffer.byteLength(model.model) <= LIMITS.embeddingModelBytes;
  return {
    name,
    kind: "onnx",
    settings,
    embedder: {
      model: isShort ? model.model : modelId("onnx", dimensions, [model.model]),
      dimensions,
      batchSize,
      embed: async (call, texts, purpose) => {
        using deadline = new Deadline(timeoutMs, call.signal);
        try {
          const work = (): Promise<Float32Array[]> => model.embed(texts, purpose, call.signal);
          return await deadline.race(turns.run(deadline.signal, work));
        } catch (error) {
          if (error instanceof HookFailure) throw error;
          throw deadline.failure ?? new HookFailure("hook-error", "The model failed.");
        }
      },
    },
    close: () => model.close(),
  };
}
