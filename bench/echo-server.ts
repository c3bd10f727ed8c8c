// The base of every ratio: a bare grpc-js server that decodes a message with ts-proto and answers
// with one. `Echo` gives back what it got; `Sized` answers a small request with one bytes field of
// the size that the request names, the cheapest message of that size there is. Usage: node
// bench/echo-server.ts PORT

import { Buffer } from "node:buffer";
import {
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServiceDefinition,
  type sendUnaryData,
} from "@grpc/grpc-js";
import { Message, ProviderPayload } from "../src/gen/memorysidecar/v1/message.ts";
import { make, textOf } from "./bodies.ts";

interface Codec<T> {
  encode(value: T): { finish(): Uint8Array };
  decode(bytes: Uint8Array): T;
}

function unary<T>(name: string, answer: Codec<T>) {
  return {
    path: `/bench.Echo/${name}`,
    requestStream: false as const,
    responseStream: false as const,
    requestSerialize: (value: Message) => Buffer.from(Message.encode(value).finish()),
    requestDeserialize: (bytes: Buffer) => Message.decode(bytes),
    responseSerialize: (value: T) => Buffer.from(answer.encode(value).finish()),
    responseDeserialize: (bytes: Buffer) => answer.decode(bytes),
  };
}

const service: ServiceDefinition = {
  echo: unary("Echo", Message),
  sized: unary("Sized", ProviderPayload),
};
const answers = new Map<number, ProviderPayload>();

function sizedAnswer(bytes: number): ProviderPayload {
  let answer = answers.get(bytes);
  if (answer === undefined) {
    answer = make(ProviderPayload, { data: Buffer.from(textOf(bytes)) });
    answers.set(bytes, answer);
  }
  return answer;
}

const port = Number(process.argv[2]);
const server = new Server({
  "grpc.enable_channelz": 0,
  "grpc.max_concurrent_streams": 1_000,
});
server.addService(service, {
  echo: (call: ServerUnaryCall<Message, Message>, done: sendUnaryData<Message>) =>
    done(null, call.request),
  sized: (call: ServerUnaryCall<Message, Message>, done: sendUnaryData<ProviderPayload>) =>
    done(null, sizedAnswer(call.request.tokenCount ?? 0)),
});
server.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), (error) => {
  if (error !== null) throw error;
  console.log("serving");
});
