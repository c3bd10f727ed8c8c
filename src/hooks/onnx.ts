// Hooks of the kind `onnx`: a sentence transformer of the operator, run in a thread of the server.

import { LIMITS } from "../domain/limits.ts";
import { openOnnxEmbedder } from "../embed/onnx.ts";
import { HookFailure } from "../service/hook-port.ts";
import { CallGate } from "./call-gate.ts";
import type { OnnxConfig } from "./config-types.ts";
import { Deadline } from "./deadline.ts";
import type { ClosableHook } from "./openai.ts";
import { modelId } from "./vectors.ts";

/**
 * Loads the model and makes the hook. Throws an Error for the operator when the directory, or the
 * package that runs it, cannot be used.
 */
export async function createOnnxHook(config: OnnxConfig): Promise<ClosableHook> {
  const { name, directory, batchSize, queryPrefix, passagePrefix, settings } = config;
  const { timeoutMs, concurrency } = settings;
  const model = await openOnnxEmbedder({
    name,
    directory,
    batchSize,
    queryPrefix,
    passagePrefix,
    timeoutMs,
  });
  const gate = new CallGate(concurrency);
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
        const deadline = new Deadline(timeoutMs, call.signal);
        try {
          const work = (): Promise<Float32Array[]> => model.embed(texts, purpose, call.signal);
          return await deadline.race(gate.run(deadline, work));
        } catch (error) {
          if (error instanceof HookFailure) throw error;
          throw deadline.failure ?? new HookFailure("hook-error", "The model failed.");
        } finally {
          deadline.close();
        }
      },
    },
    close: () => model.close(),
  };
}
