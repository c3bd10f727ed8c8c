// The base of every ratio: a bare grpc-js server that decodes a message with ts-proto and answers
// with one. `Echo` gives back what it got; `Sized` answers a small request with one bytes field of
// the size that the request names, the cheapest message of that size there is; `Durable` writes
// what it got to a file before it answers, in one flushed write for all requests that came
// meanwhile. Usage: node bench/echo-server.ts PORT [FILE]

import { Buffer } from "node:buffer";
import { constants, openSync, write, writeSync } from "node:fs";
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
  durable: unary("Durable", Message),
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

const FILE_BYTES = 1_048_576;
const BLOCK_BYTES = 4_096;

/** A file that is written like the redo log of the server: in whole blocks that it has already. */
class DurableFile {
  readonly #file: number;
  #at = 0;
  #waiting: { readonly bytes: Uint8Array; readonly done: () => void }[] = [];
  #isWriting = false;

  constructor(path: string) {
    const { O_CREAT, O_DSYNC, O_RDWR } = constants;
    this.#file = openSync(path, O_RDWR | O_CREAT | O_DSYNC, 0o600);
    writeSync(this.#file, Buffer.alloc(FILE_BYTES));
  }

  add(bytes: Uint8Array, done: () => void): void {
    this.#waiting.push({ bytes, done });
    // Requests of the same turn share a write.
    if (!this.#isWriting && this.#waiting.length === 1) setImmediate(() => this.#write());
  }

  #write(): void {
    if (this.#waiting.length === 0) return;
    const group = this.#waiting;
    this.#waiting = [];
    this.#isWriting = true;
    const sum = group.reduce((bytes, one) => bytes + one.bytes.length, 0);
    const length = Math.ceil(sum / BLOCK_BYTES) * BLOCK_BYTES;
    const block = Buffer.concat(
      group.map(({ bytes }) => bytes),
      length,
    );
    if (this.#at + length > FILE_BYTES) this.#at = 0;
    write(this.#file, block, 0, length, this.#at, (error) => {
      if (error !== null) throw error;
      this.#isWriting = false;
      for (const { done } of group) done();
      this.#write();
    });
    this.#at += length;
  }
}

const port = Number(process.argv[2]);
const path = process.argv[3];
const file = path === undefined ? undefined : new DurableFile(path);
const server = new Server({
  "grpc.enable_channelz": 0,
  "grpc.max_concurrent_streams": 1_000,
});
server.addService(service, {
  echo: (call: ServerUnaryCall<Message, Message>, done: sendUnaryData<Message>) =>
    done(null, call.request),
  sized: (call: ServerUnaryCall<Message, Message>, done: sendUnaryData<ProviderPayload>) =>
    done(null, sizedAnswer(call.request.tokenCount ?? 0)),
  durable: (call: ServerUnaryCall<Message, Message>, done: sendUnaryData<Message>) =>
    file?.add(Message.encode(call.request).finish(), () => done(null, call.request)),
});
server.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), (error) => {
  if (error !== null) throw error;
  console.log("serving");
});
