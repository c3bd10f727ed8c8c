// Hooks of the kind `grpc`: servers of the operator that implement HookHandlerService.

import { BinaryWriter } from "@bufbuild/protobuf/wire";
import { type CallOptions, type Client, Metadata, type ServiceError } from "@grpc/grpc-js";
import type { SummaryOutput } from "../domain/summaries/summary.ts";
import {
  HookHandlerServiceService,
  SummarizeRequest,
  SummarizeResponse,
} from "../gen/memorysidecar/v1/hook_handler_service.ts";
import { SummarizeInput as WireInput } from "../gen/memorysidecar/v1/task.ts";
import { type HookCall, HookFailure, type SummarizeInput } from "../service/hook-port.ts";
import type { GrpcConfig } from "./config.ts";
import { Deadline } from "./deadline.ts";
import { type ChannelParts, GrpcChannel } from "./grpc-channel.ts";
import { grpcFailure } from "./grpc-status.ts";
import type { ClosableHook } from "./openai.ts";
import type { SecretFile } from "./secret-file.ts";

/** What a hook of this kind needs. */
export interface GrpcParts extends ChannelParts {
  /** Undefined when the hook needs no token. */
  readonly token: SecretFile | undefined;
}

const SUMMARIZE_PATH = HookHandlerServiceService.summarize.path;

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
  for (const message of input.messages) inner.uint32(tagOf(MESSAGES_FIELD)).bytes(message);
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
  let output: SummarizeResponse["output"];
  try {
    output = SummarizeResponse.decode(bytes).output;
  } catch {
    throw new HookFailure("invalid-output", "The answer is not a SummarizeResponse.");
  }
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

function metadataOf(call: HookCall, token: SecretFile | undefined): Metadata {
  const metadata = new Metadata();
  metadata.set("memory-sidecar-task-id", call.taskId);
  metadata.set("memory-sidecar-namespace", call.namespace);
  metadata.set("memory-sidecar-attempt", String(call.attempt));
  if (token !== undefined) metadata.set("authorization", `Bearer ${token.current()}`);
  return metadata;
}

/** One unary call with bytes in and out. Throws the failure of the deadline or a ServiceError. */
function invoke(
  client: Client,
  request: { readonly bytes: Buffer; readonly metadata: Metadata; readonly options: CallOptions },
  deadline: Deadline,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let undo = (): void => {};
    const running = client.makeUnaryRequest(
      SUMMARIZE_PATH,
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

/** Makes a hook of the kind `grpc`. */
export function createGrpcHook(config: GrpcConfig, parts: GrpcParts): ClosableHook {
  const channel = new GrpcChannel(config, parts);
  const { timeoutMs } = config.settings;

  const summarize = async (call: HookCall, input: SummarizeInput): Promise<SummaryOutput> => {
    const deadline = new Deadline(timeoutMs, call.signal);
    // The hook is told how long it has; the deadline above is what ends the call.
    const options = { deadline: new Date(parts.nowMs() + timeoutMs) };
    try {
      const client = await channel.connected(deadline);
      const metadata = metadataOf(call, parts.token);
      const request = { bytes: requestBytes(call, input), metadata, options };
      try {
        return readAnswer(await invoke(client, request, deadline));
      } catch (error) {
        const failure = error instanceof HookFailure ? error : grpcFailure(error as ServiceError);
        // What does not answer may be a connection that is dead.
        if (failure.reason === "timeout") channel.drop(client);
        throw failure;
      }
    } finally {
      deadline.close();
    }
  };

  return {
    name: config.name,
    kind: "grpc",
    settings: config.settings,
    summarize,
    close: async () => channel.close(),
  };
}
