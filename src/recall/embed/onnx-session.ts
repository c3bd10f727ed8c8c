// A sentence transformer in memory: the runtime, the model and its tokenizer. Runs in the thread of
// onnx-worker.ts only.

import { createHash, type Hash } from "node:crypto";
import { closeSync, existsSync, openSync, readSync } from "node:fs";
import type { InferenceSession, Tensor } from "onnxruntime-node";
import { type ModelDirectory, ModelDirectoryError, readModelDirectory } from "./onnx-directory.ts";
import { type ModelOutput, pooledVectors } from "./onnx-pooling.ts";
import { createTokenReader, type TokenReader } from "./onnx-tokens.ts";

/** The version that the server is tested with. */
const RUNTIME = "onnxruntime-node";
const RUNTIME_VERSION = "1.30.0";

/** The inputs that a model may have, by name, and the number each holds for a token. */
const INPUTS: Readonly<Record<string, (token: number | undefined, place: number) => number>> = {
  input_ids: (token) => token ?? 0,
  attention_mask: (token) => (token === undefined ? 0 : 1),
  token_type_ids: () => 0,
  position_ids: (_, place) => place,
};
/** Outputs by preference; a model with others gives its first one. */
const OUTPUTS = ["sentence_embedding", "last_hidden_state", "token_embeddings"] as const;

const READ_BYTES = 1024 * 1024;

/** A loaded sentence transformer. */
export interface LoadedModel {
  /** A digest of the model, its tokenizer and how they are used. */
  readonly digest: string;
  readonly directory: ModelDirectory;
  /** One vector of unit length a text. Throws when the model fails. */
  readonly embed: (texts: readonly string[]) => Promise<Float32Array[]>;
}

/** Loads the sentence transformer of a directory. Throws an Error that says what is wrong. */
export async function loadModel(path: string): Promise<LoadedModel> {
  const directory = readModelDirectory(path);
  const reader = createTokenReader(directory);
  const runtime = await loadRuntime();
  const session = await startSession(runtime, directory.model);
  const unknown = session.inputNames.filter((name) => INPUTS[name] === undefined);
  if (unknown.length > 0 || !session.inputNames.includes("input_ids")) {
    const names = Object.keys(INPUTS).join(", ");
    const found = session.inputNames.join(", ");
    throw new ModelDirectoryError(`the model takes ${found}; known are ${names}`);
  }
  const parts = { runtime, session, reader, directory };
  return { digest: digestOf(directory), directory, embed: (texts) => embed(parts, texts) };
}

type Runtime = typeof import("onnxruntime-node");

async function loadRuntime(): Promise<Runtime> {
  try {
    return await import("onnxruntime-node");
  } catch (cause) {
    const { code } = cause as { code?: unknown };
    const what = code === "ERR_MODULE_NOT_FOUND" ? "is not installed" : "cannot be loaded";
    throw new ModelDirectoryError(
      `the package ${RUNTIME} ${what}; install ${RUNTIME}@${RUNTIME_VERSION} beside the server`,
      { cause },
    );
  }
}

async function startSession(runtime: Runtime, path: string): Promise<InferenceSession> {
  try {
    return await runtime.InferenceSession.create(path, {
      executionProviders: ["cpu"],
      // One core: the others belong to the agent that the server stands beside.
      intraOpNumThreads: 1,
      interOpNumThreads: 1,
      logSeverityLevel: 4,
    });
  } catch (cause) {
    throw new ModelDirectoryError("model.onnx is damaged or of a kind that is not known", {
      cause,
    });
  }
}

interface Parts {
  readonly runtime: Runtime;
  readonly session: InferenceSession;
  readonly reader: TokenReader;
  readonly directory: ModelDirectory;
}

async function embed(parts: Parts, texts: readonly string[]): Promise<Float32Array[]> {
  const tokens = texts.map(parts.reader.tokenize);
  const lengths = tokens.map((ids) => ids.length);
  const width = Math.max(1, ...lengths);
  const outputs = await parts.session.run(feedsOf(parts, tokens, width));
  const { outputNames } = parts.session;
  const name = OUTPUTS.find((known) => outputNames.includes(known)) ?? outputNames[0] ?? "";
  const output = modelOutput(name, outputs[name]);
  return pooledVectors(output, { lengths, width }, parts.directory.pooling);
}

function feedsOf(
  { runtime, session, reader }: Parts,
  tokens: readonly (readonly number[])[],
  width: number,
): Record<string, Tensor> {
  const shape = [tokens.length, width];
  const feed = (name: string): Tensor => {
    const value = INPUTS[name] ?? (() => 0);
    const data = new BigInt64Array(tokens.length * width);
    for (const [text, ids] of tokens.entries()) {
      for (let place = 0; place < width; place += 1) {
        const isPadding = place >= ids.length && name === "input_ids";
        const number = isPadding ? reader.padding : value(ids[place], place);
        data[text * width + place] = BigInt(number);
      }
    }
    return new runtime.Tensor("int64", data, shape);
  };
  return Object.fromEntries(session.inputNames.map((name) => [name, feed(name)]));
}

function modelOutput(name: string, tensor: Tensor | undefined): ModelOutput {
  if (tensor?.data instanceof Float32Array) return { dims: tensor.dims, data: tensor.data };
  throw new Error(`the output ${name} of the model must be of the type float32`);
}

function digestOf(directory: ModelDirectory): string {
  const hash = createHash("sha256");
  const { model, ...rest } = directory;
  hash.update(JSON.stringify(rest));
  addFile(hash, model);
  // Weights of large models lie beside them.
  for (const data of [`${model}_data`, `${model}.data`]) if (existsSync(data)) addFile(hash, data);
  return hash.digest("hex");
}

function addFile(hash: Hash, path: string): void {
  const file = openSync(path, "r");
  const part = Buffer.alloc(READ_BYTES);
  try {
    for (;;) {
      const read = readSync(file, part, 0, part.length, null);
      if (read === 0) return;
      hash.update(part.subarray(0, read));
    }
  } finally {
    closeSync(file);
  }
}
