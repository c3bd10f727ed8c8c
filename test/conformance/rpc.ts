// A client of the contract with nothing in between: one connection, one namespace, no retries.

import { Client, credentials } from "@grpc/grpc-js";
import { toClientError } from "../../clients/typescript/src/errors.ts";
import { EventServiceService } from "../../clients/typescript/src/gen/memorysidecar/v1/event_service.ts";
import { SessionServiceService } from "../../clients/typescript/src/gen/memorysidecar/v1/session_service.ts";
import type { SnapshotFormat } from "../../clients/typescript/src/gen/memorysidecar/v1/snapshot.ts";

const METHODS = { ...SessionServiceService, ...EventServiceService } as const;

type MethodName = Exclude<keyof typeof METHODS, "watchEvents" | "exportSession">;
type RequestOf<M extends MethodName> = ReturnType<(typeof METHODS)[M]["requestDeserialize"]>;
type ResponseOf<M extends MethodName> = ReturnType<(typeof METHODS)[M]["responseDeserialize"]>;

const DEADLINE_MS = 20_000;

/** Calls the server in one namespace. Every call throws a MemorySidecarError when it is refused. */
export interface Rpc {
  call<M extends MethodName>(method: M, fields: Partial<RequestOf<M>>): Promise<ResponseOf<M>>;
  /** Gives a snapshot in the format of another system. */
  exportDocument(sessionId: string, format: SnapshotFormat): Promise<unknown>;
  /** Calls a method by name, whether the contract has it or not. */
  callUnknown(name: string): Promise<void>;
}

/** A connection to a server. */
export interface Connection {
  /** Calls in a namespace. */
  in(namespace: string): Rpc;
  close(): void;
}

interface UnaryCall {
  readonly path: string;
  readonly bytes: Buffer;
}

function unary(client: Client, { path, bytes }: UnaryCall): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pass = (value: Buffer): Buffer => value;
    const options = { deadline: Date.now() + DEADLINE_MS };
    client.makeUnaryRequest(path, pass, pass, bytes, options, (error, value) => {
      if (error === null) resolve(value ?? Buffer.alloc(0));
      else reject(toClientError(error, path));
    });
  });
}

function collect(client: Client, bytes: Buffer): Promise<Buffer> {
  const { path, responseDeserialize } = METHODS.exportSession;
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    const stream = client.makeServerStreamRequest(
      path,
      (value: Buffer) => value,
      responseDeserialize,
      bytes,
      { deadline: Date.now() + DEADLINE_MS },
    );
    stream.on("data", ({ chunk }: ReturnType<typeof responseDeserialize>) => {
      if (chunk?.$case === "document") pieces.push(chunk.value);
    });
    stream.on("error", (error) => reject(toClientError(error, path)));
    stream.on("end", () => resolve(Buffer.concat(pieces)));
  });
}

function rpcIn(client: Client, namespace: string): Rpc {
  return {
    call: async (method, fields) => {
      const { path, requestSerialize, requestDeserialize, responseDeserialize } = METHODS[method];
      const empty = requestDeserialize(Buffer.alloc(0));
      const scope = "namespace" in empty ? { namespace } : {};
      // The definitions of the methods cannot be matched up by their name in the type system.
      const serialize = requestSerialize as (request: unknown) => Buffer;
      const bytes = serialize({ ...empty, ...scope, ...fields });
      const answer = await unary(client, { path, bytes });
      return responseDeserialize(answer) as ResponseOf<typeof method>;
    },
    exportDocument: async (sessionId, format) => {
      const request = METHODS.exportSession.requestSerialize({ namespace, sessionId, format });
      return JSON.parse((await collect(client, request)).toString("utf8"));
    },
    callUnknown: async (name) => {
      await unary(client, {
        path: `/memorysidecar.v1.SessionService/${name}`,
        bytes: Buffer.alloc(0),
      });
    },
  };
}

/** Connects to a server; the connection itself is made by the first call. */
export function connectTo(address: string): Connection {
  const client = new Client(address, credentials.createInsecure());
  return { in: (namespace) => rpcIn(client, namespace), close: () => client.close() };
}
