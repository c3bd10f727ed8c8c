// The thread that runs a sentence transformer of the operator, one batch after the other.

import { parentPort, workerData } from "node:worker_threads";
import type { OnnxAnswer, OnnxRequest } from "./onnx.ts";
import { type LoadedModel, loadModel } from "./onnx-session.ts";

/** Text that every model knows something of; its vector shows how long vectors are. */
const PROBE = "a";

const { directory } = workerData as { readonly directory: string };
let loading: Promise<LoadedModel> | undefined;

/** The model; loading that failed is tried again with the next request. */
function loaded(): Promise<LoadedModel> {
  loading ??= loadModel(directory).catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function answer(request: OnnxRequest): Promise<OnnxAnswer> {
  try {
    const model = await loaded();
    if (request.texts === undefined) return await opened(model, request.id);
    const vectors = await model.embed(request.texts);
    return { id: request.id, vectors };
  } catch (error) {
    return { id: request.id, error: error instanceof Error ? error.message : String(error) };
  }
}

async function opened({ digest, directory, embed }: LoadedModel, id: number): Promise<OnnxAnswer> {
  const [vector] = await embed([PROBE]);
  const { queryPrefix, passagePrefix } = directory;
  const dimensions = vector?.length ?? 0;
  return { id, opened: { digest, dimensions, queryPrefix, passagePrefix } };
}

parentPort?.on("message", (request: OnnxRequest) => {
  void answer(request).then((result) => {
    const buffers = result.vectors?.map((vector) => vector.buffer as ArrayBuffer) ?? [];
    parentPort?.postMessage(result, [...new Set(buffers)]);
  });
});
