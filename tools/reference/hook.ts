// The operator's side of the examples: a gRPC server that answers the server's calls, and keeps the
// first call of each rpc.

import { type DescMethod, fromJson, type JsonObject, toBinary } from "@bufbuild/protobuf";
import { Server, ServerCredentials, type sendUnaryData } from "@grpc/grpc-js";
import { SERVICE_NAMES } from "../../src/routes.ts";
import { type Contract, messageJson, rpcsOf } from "./contract.ts";
import type { Act, Example } from "./story.ts";

/** A running hook. */
export interface ExampleHook extends AsyncDisposable {
  /** `127.0.0.1:PORT`. */
  readonly target: string;
  /** The first call of each rpc. */
  readonly calls: ReadonlyMap<string, Example>;
}

/** Whether the server calls an rpc that operators implement. */
export function isHookRpc({ parent }: DescMethod): boolean {
  return !SERVICE_NAMES.some((name) => name === parent.typeName);
}

/** Starts a hook on a free port. Throws when an answer does not match the contract. */
export async function startExampleHook(
  contract: Contract,
  answers: Act["answers"],
): Promise<ExampleHook> {
  const calls = new Map<string, Example>();
  const server = new Server();
  const same = (value: Buffer): Buffer => value;
  for (const method of rpcsOf(contract).filter(isHookRpc)) {
    const { name } = method;
    const answer = answers[name] ?? {};
    const bytes = Buffer.from(bytesOf(method, answer));
    const form = {
      path: `/${method.parent.typeName}/${name}`,
      requestStream: false,
      responseStream: false,
      requestSerialize: same,
      requestDeserialize: same,
      responseSerialize: same,
      responseDeserialize: same,
    };
    const handle = (call: { request: Buffer }, reply: sendUnaryData<Buffer>): void => {
      const request = messageJson(contract, method.input, call.request);
      if (!calls.has(name)) calls.set(name, { request, answers: [answer] });
      reply(null, bytes);
    };
    server.addService({ [name]: form }, { [name]: handle });
  }
  const port = await new Promise<number>((resolve, reject) => {
    const bound = (error: Error | null, port: number): void => {
      if (error === null) resolve(port);
      else reject(error);
    };
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), bound);
  });
  return {
    target: `127.0.0.1:${port}`,
    calls,
    [Symbol.asyncDispose]: async () => server.forceShutdown(),
  };
}

function bytesOf({ name, output }: DescMethod, answer: JsonObject): Uint8Array {
  try {
    return toBinary(output, fromJson(output, answer));
  } catch (error) {
    throw new Error(`${name}: the hook's answer does not fit: ${(error as Error).message}`);
  }
}
