// A scripted model for `--memories scripted`: a gRPC hook that returns the sentences of each
// message as facts, prefixed with the speaker and with the message as source. It stands for a model
// that omits nothing and understands nothing, and its output is the same in every run.

import { writeFileSync } from "node:fs";
import {
  type Server as GrpcServer,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type sendUnaryData,
} from "@grpc/grpc-js";
import {
  type ExtractFactsRequest,
  type ExtractFactsResponse,
  HookServiceService,
} from "../../src/gen/memorysidecar/hook/v1/hook_service.ts";
import type { Message } from "../../src/gen/memorysidecar/v1/message.ts";
import { ExtractedFact, ExtractOutput } from "../../src/gen/memorysidecar/v1/task.ts";
import { make } from "../bodies.ts";

/** Name of the hook. */
export const SCRIPTED = "scripted";
/** Number of messages with three facts each that fit into one answer. */
export const SCRIPTED_MESSAGES = 32;
const SENTENCES = 3;
const WORDS_MIN = 5;
const CHARS_MAX = 300;

function factsOf({ messageId, name, role, text }: Message): ExtractedFact[] {
  const speaker = name === "" ? ["", "user", "assistant", "system", "tool"][role] : name;
  return text
    .split(/(?<=[.!?])\s+/u)
    .filter((sentence) => !sentence.endsWith("?") && sentence.split(/\s+/u).length >= WORDS_MIN)
    .slice(0, SENTENCES)
    .map((sentence) =>
      make(ExtractedFact, {
        text: `${speaker} said: ${sentence.slice(0, CHARS_MAX)}`,
        messageIds: [messageId],
      }),
    );
}

/** Starts the hook and writes a hooks file that names it; returns a function that stops it. */
export async function startScriptedExtractor(hooksFile: string): Promise<GrpcServer> {
  const server = new Server({ "grpc.max_receive_message_length": -1 });
  const extractFacts = (
    { request }: ServerUnaryCall<ExtractFactsRequest, ExtractFactsResponse>,
    reply: sendUnaryData<ExtractFactsResponse>,
  ): void => {
    const facts = (request.input?.messages ?? []).flatMap(factsOf);
    reply(null, { output: make(ExtractOutput, { facts, model: SCRIPTED }) });
  };
  server.addService({ extractFacts: HookServiceService.extractFacts }, { extractFacts });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) => {
      if (error === null) resolve(bound);
      else reject(error);
    });
  });
  const hook = { kind: "grpc", does: "extract", target: `127.0.0.1:${port}` };
  writeFileSync(hooksFile, JSON.stringify({ hooks: { [SCRIPTED]: hook } }));
  return server;
}
