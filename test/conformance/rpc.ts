// A client of the contract with nothing in between: one connection, one namespace, no retries.
// After a call that may ask for summaries it waits until the hook is done with them, so that what a
// case does next finds them, as it would in a system that waits for its model.

import { setTimeout } from "node:timers/promises";
import { Client, credentials } from "@grpc/grpc-js";
import type { MemorySidecar } from "../../clients/typescript/src/client.ts";
import { connect } from "../../clients/typescript/src/connect.ts";
import { toClientError } from "../../clients/typescript/src/errors.ts";
import { EventServiceService } from "../../clients/typescript/src/gen/memorysidecar/v1/event_service.ts";
import { MemoryServiceService } from "../../clients/typescript/src/gen/memorysidecar/v1/memory_service.ts";
import { RecallServiceService } from "../../clients/typescript/src/gen/memorysidecar/v1/recall_service.ts";
import { SessionServiceService } from "../../clients/typescript/src/gen/memorysidecar/v1/session_service.ts";
import {
  type HookTask,
  TaskState,
  TaskType,
} from "../../clients/typescript/src/gen/memorysidecar/v1/task.ts";
import { TaskServiceService } from "../../clients/typescript/src/gen/memorysidecar/v1/task_service.ts";
import type { ChatModel } from "./chat.ts";
import type { CaseHooks } from "./hook.ts";
import type { Stub } from "./stub.ts";

const METHODS = {
  ...SessionServiceService,
  ...EventServiceService,
  ...TaskServiceService,
  ...RecallServiceService,
  ...MemoryServiceService,
} as const;

type MethodName = Exclude<keyof typeof METHODS, "watchEvents" | "exportSession">;
type RequestOf<M extends MethodName> = ReturnType<(typeof METHODS)[M]["requestDeserialize"]>;
type ResponseOf<M extends MethodName> = ReturnType<(typeof METHODS)[M]["responseDeserialize"]>;

const DEADLINE_MS = 20_000;
const TASK_POLL_MS = 2;

/** Calls the server in one namespace. Every call throws a MemorySidecarError when it is refused. */
export interface Rpc {
  call<M extends MethodName>(method: M, fields: Partial<RequestOf<M>>): Promise<ResponseOf<M>>;
  /** Gives a snapshot in the format of another system. */
  exportDocument(sessionId: string, format: string): Promise<unknown>;
  /** Lets a model answer the hook's calls for the namespace. */
  script(model: Stub): void;
  /** Keeps the answers back: calls only wait until one is there. */
  hold(): void;
  /** Gives the answers that were kept back, and waits as calls do. */
  release(): Promise<void>;
  /** The client of programs in TypeScript, for what it does beside calls. */
  client(): MemorySidecar;
  /** Lets a model answer what the hooks for long-term memory ask. */
  chat(model: ChatModel): void;
  /** Keeps the answers of that model back. */
  holdChat(): void;
  /** Gives these answers, and waits until what was asked for is remembered. */
  releaseChat(): Promise<void>;
  /** Options that were left out of the configurations in the namespace, with the reasons. */
  readonly leftOut: Set<string>;
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
      if (chunk !== undefined) pieces.push(chunk.document);
    });
    stream.on("error", (error) => reject(toClientError(error, path)));
    stream.on("end", () => resolve(Buffer.concat(pieces)));
  });
}

/** Calls that may make the policy ask for a summary. */
const ASKING: readonly MethodName[] = [
  ...(["appendMessages", "getWindow", "trimSession", "compactSession"] as const),
  ...(["updateSession", "setSummary", "restoreMessages"] as const),
];

const isOfMemories = ({ type }: HookTask): boolean =>
  type === TaskType.EXTRACT || type === TaskType.SCORE;

/** Settles when no summary of a namespace is under way: each is done, given up, or kept back. */
async function settled(call: Rpc["call"], isHolding: () => boolean): Promise<void> {
  const deadline = Date.now() + DEADLINE_MS;
  for (;;) {
    const { tasks } = await call("listTasks", { pageSize: 1_000 });
    const own = tasks.filter((task) => !isOfMemories(task));
    if (isHolding() || own.every(({ state }) => state === TaskState.DEAD)) return;
    if (Date.now() > deadline) throw new Error("a task of the case does not end");
    await setTimeout(TASK_POLL_MS);
  }
}

/** Calls that may make a memory policy ask for something. */
const REMEMBERING: readonly MethodName[] = ["appendMessages", "consolidateSession"];

/** Settles when no task on memories of a namespace is under way: each is done, or given up. */
async function remembered(call: Rpc["call"]): Promise<void> {
  const deadline = Date.now() + DEADLINE_MS;
  for (;;) {
    const { tasks } = await call("listTasks", { pageSize: 1_000 });
    const own = tasks.filter(isOfMemories);
    if (own.every(({ state }) => state === TaskState.DEAD)) return;
    if (Date.now() > deadline) throw new Error("a task on memories of the case does not end");
    await setTimeout(TASK_POLL_MS);
  }
}

interface Opened {
  readonly raw: Client;
  readonly client: () => MemorySidecar;
  readonly hooks: CaseHooks;
}

function rpcIn({ raw, client, hooks }: Opened, namespace: string): Rpc {
  const call: Rpc["call"] = async (method, fields) => {
    const { path, requestSerialize, requestDeserialize, responseDeserialize } = METHODS[method];
    const empty = requestDeserialize(Buffer.alloc(0));
    const scope = "namespace" in empty ? { namespace } : {};
    // The definitions of the methods cannot be matched up by their name in the type system.
    const serialize = requestSerialize as (request: unknown) => Buffer;
    const bytes = serialize({ ...empty, ...scope, ...fields });
    const answer = await unary(raw, { path, bytes });
    return responseDeserialize(answer) as ResponseOf<typeof method>;
  };
  const isHolding = (): boolean => hooks.isHolding(namespace);
  return {
    leftOut: new Set(),
    hold: () => hooks.hold(namespace),
    release: async () => {
      hooks.release(namespace);
      await settled(call, isHolding);
    },
    call: async (method, fields) => {
      const answer = await call(method, fields);
      if (ASKING.includes(method)) await settled(call, isHolding);
      // Jobs whose answers are kept back end only after the release.
      if (REMEMBERING.includes(method) && !hooks.chat.isHolding()) await remembered(call);
      return answer;
    },
    client,
    chat: (model) => hooks.chat.script(model),
    holdChat: () => hooks.chat.hold(),
    releaseChat: async () => {
      hooks.chat.release();
      await remembered(call);
    },
    script: (model) => hooks.script(namespace, model),
    exportDocument: async (sessionId, format) => {
      const request = METHODS.exportSession.requestSerialize({ namespace, sessionId, format });
      return JSON.parse((await collect(raw, request)).toString("utf8"));
    },
  };
}

/** Connects to a server; the connection itself is made by the first call. */
export function connectTo(address: string, hooks: CaseHooks): Connection {
  const raw = new Client(address, credentials.createInsecure());
  const clients = new Map<string, MemorySidecar>();
  const clientIn = (namespace: string): MemorySidecar => {
    const known = clients.get(namespace) ?? connect(address, { namespace });
    clients.set(namespace, known);
    return known;
  };
  return {
    in: (namespace) => rpcIn({ raw, client: () => clientIn(namespace), hooks }, namespace),
    close: () => {
      raw.close();
      for (const client of clients.values()) client.close();
    },
  };
}
