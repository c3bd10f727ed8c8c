// Hooks of the kind `grpc`: servers of the operator that implement HookService.

import { BinaryWriter } from "@bufbuild/protobuf/wire";
import { type CallOptions, type Client, Metadata, type ServiceError } from "@grpc/grpc-js";
import type { SummaryOutput } from "../domain/summaries/summary.ts";
import {
  EmbedTextsRequest,
  EmbedTextsResponse,
  HookServiceService,
  RerankTextsRequest,
  RerankTextsResponse,
  SummarizeRequest,
  SummarizeResponse,
} from "../gen/memorysidecar/hook/v1/hook_service.ts";
import { EmbeddingPurpose } from "../gen/memorysidecar/v1/document.ts";
import { SummarizeInput as WireInput } from "../gen/memorysidecar/v1/task.ts";
import { publicMessage } from "../lib/token-quarters.ts";
import {
  type DirectCall,
  type Hook,
  type HookCall,
  HookFailure,
  type SummarizeInput,
} from "../service/hook-port.ts";
import { checkedScores, checkedVectors } from "../service/vector-answers.ts";
import { CallGate } from "./call-gate.ts";
import type { GrpcConfig } from "./config-types.ts";
import { Deadline } from "./deadline.ts";
import { type ChannelParts, GrpcChannel } from "./grpc-channel.ts";
import { memoryWork } from "./grpc-memories.ts";
import { grpcFailure } from "./grpc-status.ts";
import type { ClosableHook } from "./openai.ts";
import type { SecretFile } from "./secret-file.ts";
import { modelId } from "./vectors.ts";

/** What a hook of this kind needs. */
export interface GrpcParts extends ChannelParts {
  /** Undefined when the hook needs no token. */
  readonly token: SecretFile | undefined;
}

const PATHS = {
  summarize: HookServiceService.summarize.path,
  embed: HookServiceService.embedTexts.path,
  rerank: HookServiceService.rerankTexts.path,
} as const;

// The numbers of the fields that are written by hand: messages are spliced in as they are stored.
const INPUT_FIELD = 3;
const MESSAGES_FIELD = 1;
const LENGTH_DELIMITED = 2;

function tagOf(field: number): number {
  return (field << 3) | LENGTH_DELIMITED;
}

/** The wire form of a request. */
function requestBytes(call: HookCall, input: SummarizeInput): Buffer {
  const { namespace, sessionId } = call;
  const writer = new BinaryWriter();
  SummarizeRequest.encode({ namespace, sessionId, input: undefined }, writer);
  const inner = writer.uint32(tagOf(INPUT_FIELD)).fork();
  for (const message of input.messages)
    inner.uint32(tagOf(MESSAGES_FIELD)).bytes(publicMessage(message));
  WireInput.encode(
    {
      messages: [],
      transcript: input.transcript,
      priorTexts: [...input.priorTexts],
      replacesPrior: input.replacesPrior,
      maxTokens: input.maxTokens,
      instructions: input.instructions,
      loop: input.loop,
      maxLoops: input.maxLoops,
      draft: input.draft,
      structured: input.structured,
      savesTokens: input.savesTokens,
      trust: input.trust,
    },
    inner,
  ).join();
  return Buffer.from(writer.finish());
}

function readAnswer(bytes: Buffer): SummaryOutput {
  const { output } = decoded(SummarizeResponse.decode, bytes, "SummarizeResponse");
  if (output === undefined) {
    throw new HookFailure("invalid-output", "The answer holds no output.");
  }
  if (output.text.trim() === "") throw new HookFailure("empty-output", "The text is empty.");
  const { text, missingEntities, requestText, facts, openThreads, model } = output;
  return {
    text,
    missingEntities,
    requestText,
    facts,
    openThreads,
    model,
    inputTokens: Number(output.inputTokens),
    outputTokens: Number(output.outputTokens),
  };
}

function metadataOf(call: HookCall | DirectCall, token: SecretFile | undefined): Metadata {
  const metadata = new Metadata();
  if ("taskId" in call) {
    metadata.set("memory-sidecar-task-id", call.taskId);
    metadata.set("memory-sidecar-attempt", String(call.attempt));
  }
  metadata.set("memory-sidecar-namespace", call.namespace);
  if (token !== undefined) metadata.set("authorization", `Bearer ${token.current()}`);
  return metadata;
}

/** One unary call with bytes in and out. Throws the failure of the deadline or a ServiceError. */
function invoke(
  client: Client,
  request: {
    readonly path: string;
    readonly bytes: Buffer;
    readonly metadata: Metadata;
    readonly options: CallOptions;
  },
  deadline: Deadline,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let undo = (): void => {};
    const running = client.makeUnaryRequest(
      request.path,
      (value: Buffer) => value,
      (value: Buffer) => value,
      request.bytes,
      request.metadata,
      request.options,
      (error: ServiceError | null, value?: Buffer) => {
        undo();
        if (error !== null) reject(error);
        else resolve(value ?? Buffer.alloc(0));
      },
    );
    undo = deadline.onEnd((failure) => {
      running.cancel();
      reject(failure);
    });
  });
}

function decoded<T>(decode: (bytes: Buffer) => T, bytes: Buffer, name: string): T {
  try {
    return decode(bytes);
  } catch {
    throw new HookFailure("invalid-output", `The answer is not a ${name}.`);
  }
}

type Ask = (
  call: HookCall | DirectCall,
  path: string,
  bytes: Buffer | Uint8Array,
) => Promise<Buffer>;

/** Makes a hook of the kind `grpc` for whatever it is for. */
export function createGrpcHook(config: GrpcConfig, parts: GrpcParts): ClosableHook {
  const channel = new GrpcChannel(config, parts);
  const { timeoutMs, concurrency } = config.settings;
  const gate = new CallGate(concurrency);

  const send = async (
    call: HookCall | DirectCall,
    deadline: Deadline,
    message: { readonly path: string; readonly bytes: Buffer },
  ): Promise<Buffer> => {
    // The hook is told how long it has; the deadline is what ends the call.
    const options = { deadline: new Date(parts.nowMs() + timeoutMs) };
    const client = await channel.connected(deadline);
    const request = { ...message, metadata: metadataOf(call, parts.token), options };
    try {
      return await invoke(client, request, deadline);
    } catch (error) {
      const failure = error instanceof HookFailure ? error : grpcFailure(error as ServiceError);
      // What does not answer may be a connection that is dead.
      if (failure.reason === "timeout") channel.drop(client);
      throw failure;
    }
  };

  const ask: Ask = async (call, path, bytes) => {
    const deadline = new Deadline(timeoutMs, call.signal);
    const message = { path, bytes: Buffer.from(bytes) };
    try {
      // Tasks are counted by whoever gives them out.
      if ("taskId" in call) return await send(call, deadline, message);
      return await gate.run(deadline, () => send(call, deadline, message));
    } finally {
      deadline.close();
    }
  };

  return {
    name: config.name,
    kind: "grpc",
    settings: config.settings,
    ...workOf(config, ask),
    close: async () => channel.close(),
  };
}

type Work = Pick<Hook, "summarize" | "embedder" | "rerank" | "extract" | "score" | "resolve">;

function workOf(config: GrpcConfig, ask: Ask): Work {
  const { does } = config;
  if (does === "extract" || does === "score" || does === "resolve") return memoryWork(does, ask);
  if (does === "summarize") {
    return {
      summarize: async (call, input) =>
        readAnswer(await ask(call, PATHS.summarize, requestBytes(call, input))),
    };
  }
  if (config.embed === undefined) return { rerank: reranker(ask) };
  const { dimensions, batchSize } = config.embed;
  return {
    embedder: {
      model: modelId(config.name, dimensions, []),
      dimensions,
      batchSize,
      embed: async (call, texts, purpose) => {
        const input = {
          texts: [...texts],
          purpose: purpose === "query" ? EmbeddingPurpose.QUERY : EmbeddingPurpose.PASSAGE,
          dimensions,
        };
        const request = { namespace: call.namespace, input };
        const bytes = EmbedTextsRequest.encode(request).finish();
        const answer = await ask(call, PATHS.embed, bytes);
        const { output } = decoded(EmbedTextsResponse.decode, answer, "EmbedTextsResponse");
        return checkedVectors(
          (output?.vectors ?? []).map(({ values }) => values),
          texts.length,
          dimensions,
        );
      },
    },
  };
}

function reranker(ask: Ask): NonNullable<Hook["rerank"]> {
  return async (call, query, texts) => {
    const request = { namespace: call.namespace, input: { query, texts: [...texts] } };
    const answer = await ask(call, PATHS.rerank, RerankTextsRequest.encode(request).finish());
    const { output } = decoded(RerankTextsResponse.decode, answer, "RerankTextsResponse");
    return checkedScores(output?.scores ?? [], texts.length);
  };
}
