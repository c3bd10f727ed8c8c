// The errors that the comments of the rpcs on messages and snapshots name: each can be had, and
// these are all that the calls below can make.

import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LIMITS } from "../../src/domain/limits.ts";
import { Role } from "../../src/gen/memorysidecar/v1/message.ts";
import { RemovedTo } from "../../src/gen/memorysidecar/v1/policy.ts";
import type { Session } from "../../src/gen/memorysidecar/v1/session.ts";
import type { Store } from "../../src/storage/store.ts";
import { buildContract, rpcsOf } from "../../tools/reference/contract.ts";
import { errorsOf } from "../../tools/reference/errors.ts";
import {
  type Failure,
  METHODS,
  requestBytes,
  startContractServer,
  type TestServer,
} from "../support/contract.ts";
import { bare } from "../support/policy-wire.ts";
import {
  dropOldest,
  keepStage,
  memoryPolicy,
  message,
  session,
  written,
} from "../support/samples.ts";
import { failImport, importRequest, takeSnapshot } from "../support/snapshots.ts";
import { summarize } from "../support/summarizing.ts";

const CONTRACT = buildContract(join(import.meta.dirname, "../.."));

/** Tokens of a message that leaves no room for others in a window. */
const MANY = 1_000_000;

let server: TestServer;
let isFull = false;
let count = 0;

/** A store in which every tier holds as many memories as it may, while `isFull`. */
function wrapStore(store: Store): Store {
  const changeSession: Store["changeSession"] = (change, decide) =>
    store.changeSession(change, (view) => {
      if (!isFull) return decide(view);
      const memories = new Proxy(view.memories, {
        get: (target, name) => {
          if (name === "count") return () => LIMITS.scopeMemories;
          const value: unknown = Reflect.get(target, name, target);
          return typeof value === "function" ? value.bind(target) : value;
        },
      });
      return decide({ ...view, memories });
    });
  return new Proxy(store, {
    get: (target, name) => {
      if (name === "changeSession") return changeSession;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

beforeAll(async () => {
  server = await startContractServer({ wrapStore });
});

afterAll(() => server[Symbol.asyncDispose]());

const fresh = () => `errors-${count++}`;

async function seeded(texts: readonly string[], fields = {}): Promise<string> {
  const sessionId = fresh();
  await server.client.call("createSession", { session: session({ sessionId, ...fields }) });
  const messages = texts.map((text, index) => message({ messageId: `m${index}`, text }));
  if (messages.length > 0) await server.client.call("appendMessages", { sessionId, messages });
  return sessionId;
}

/**
 * A session that is to give more to memory now than one decision evicts, while memory is as full as
 * it may be.
 */
async function whileFull(act: (sessionId: string) => Promise<Failure>): Promise<Failure> {
  const select = { $case: "dropOldest", value: dropOldest({ maxTokens: BigInt(MANY) }) } as const;
  const sessionId = await seeded([], {
    policy: bare([keepStage({ select, removedTo: RemovedTo.PROMOTE })]),
    memoryPolicy: memoryPolicy({ importanceThreshold: 0, longTermLimit: LIMITS.scopeMemories }),
  });
  for (let batch = 0; batch < 2; batch++) {
    const messages = Array.from({ length: 600 }, (_, index) =>
      message({ messageId: `m${batch * 600 + index}`, text: `I have ${index} of ${batch} cats.` }),
    );
    await server.client.call("appendMessages", { sessionId, messages });
  }
  isFull = true;
  try {
    return await act(sessionId);
  } finally {
    isFull = false;
  }
}

/** Exports until one ends as it is wanted to. */
async function exportUntilChanged(): Promise<Failure> {
  const sessionId = await seeded([]);
  const text = "x".repeat(100_000);
  for (let n = 0; n < 30; n++) {
    const messages = [1, 2].map((part) => message({ messageId: `e${n}-${part}`, text }));
    await server.client.call("appendMessages", { sessionId, messages });
  }
  for (let n = 0; n < 20; n++) {
    const exporting = server.client.export({ sessionId });
    const edit = message({ messageId: "e20-1", name: `n${n}` });
    await server.client.call("updateMessage", { sessionId, message: edit });
    const { failure } = await exporting;
    if (failure !== undefined) return failure;
  }
  throw new Error("no export saw a change");
}

/** Opens more exports than may run, whose readers take nothing. */
async function exportTooMany(): Promise<Failure> {
  const sessionId = await seeded([]);
  const text = "x".repeat(1_000_000);
  for (let n = 0; n < 3; n++) {
    await server.client.call("appendMessages", { sessionId, messages: [message({ text })] });
  }
  const bytes = requestBytes("exportSession", { sessionId });
  const asIs = (value: Buffer) => value;
  const open = Array.from({ length: LIMITS.exports }, () => {
    const { path } = METHODS.exportSession;
    const stream = server.client.channel.makeServerStreamRequest(path, asIs, asIs, bytes);
    stream.on("error", () => {});
    return stream.pause();
  });
  try {
    for (;;) {
      const { failure } = await server.client.export({ sessionId });
      if (failure !== undefined) return failure;
    }
  } finally {
    for (const stream of open) stream.cancel();
  }
}

async function importTooMany(): Promise<Failure> {
  const piece = { format: "lauren", document: Buffer.from("["), more: true };
  const open: string[] = [];
  try {
    for (;;) {
      const request = importRequest(piece);
      const outcome = await server.client.raw(
        "importSession",
        requestBytes("importSession", request),
      );
      if ("failure" in outcome) return outcome.failure;
      open.push(METHODS.importSession.responseDeserialize(outcome.bytes).uploadId);
    }
  } finally {
    for (const uploadId of open) {
      await failImport(server.client, { uploadId, chunkIndex: 1, document: Buffer.from("]]") });
    }
  }
}

async function importOf(fields: Partial<Session>): Promise<Failure> {
  const { header } = await takeSnapshot(server.client, await seeded([]));
  const time = { seconds: 5n, nanos: 0 };
  const own = session({ lastSeq: 0n, createTime: time, updateTime: time, ...fields });
  const changed = { ...header, session: own };
  return await failImport(server.client, { header: changed, sessionId: fresh() });
}

const gone = { sessionId: "gone", messageId: "m0" };
const large = (messageId: string, size: number) =>
  message({ messageId, role: Role.SYSTEM, text: "x".repeat(size) });

async function atCeiling(size: number): Promise<string> {
  const sessionId = await seeded([]);
  for (const id of ["a", "b", "c"]) {
    await server.client.call("appendMessages", { sessionId, messages: [large(id, size)] });
  }
  return sessionId;
}

type Way = () => Promise<Failure | undefined>;

/** How to get each error, by rpc. */
const WAYS: Readonly<Record<string, Readonly<Record<string, Way>>>> = {
  AppendMessages: {
    SESSION_NOT_FOUND: () =>
      server.client.fail("appendMessages", { sessionId: "gone", messages: [message()] }),
    MESSAGE_ALREADY_EXISTS: async () => {
      const sessionId = await seeded(["a"]);
      const messages = [message({ messageId: "m0" })];
      return await server.client.fail("appendMessages", { sessionId, messages });
    },
    LAST_SEQ_MISMATCH: async () => {
      const append = { sessionId: await seeded(["a"]), messages: [message()] };
      return await server.client.fail("appendMessages", { ...append, expectedLastSeq: 7n });
    },
    WINDOW_FULL: async () => {
      const append = { sessionId: await atCeiling(900_000), messages: [large("d", 900_000)] };
      return await server.client.fail("appendMessages", append);
    },
    MEMORY_LIMIT_REACHED: () =>
      whileFull((sessionId) =>
        server.client.fail("appendMessages", {
          sessionId,
          messages: [message({ tokenCount: MANY })],
        }),
      ),
  },
  ListMessages: {
    SESSION_NOT_FOUND: () => server.client.fail("listMessages", { sessionId: "gone" }),
    PAGE_TOKEN_INVALID: async () => {
      const sessionId = await seeded(["a"]);
      return await server.client.fail("listMessages", { sessionId, pageToken: "x" });
    },
  },
  GetMessage: {
    SESSION_NOT_FOUND: () => server.client.fail("getMessage", gone),
    MESSAGE_NOT_FOUND: async () =>
      server.client.fail("getMessage", { ...gone, sessionId: await seeded([]) }),
  },
  UpdateMessage: {
    SESSION_NOT_FOUND: () =>
      server.client.fail("updateMessage", { ...gone, message: message({ messageId: "m0" }) }),
    MESSAGE_NOT_FOUND: async () => {
      const sessionId = await seeded([]);
      const update = { sessionId, message: message({ messageId: "m0", name: "n" }) };
      return await server.client.fail("updateMessage", update);
    },
    ETAG_MISMATCH: async () => {
      const sessionId = await seeded(["a"]);
      const update = { sessionId, message: message({ messageId: "m0", name: "n", etag: "x" }) };
      return await server.client.fail("updateMessage", update);
    },
    WINDOW_FULL: async () => {
      const sessionId = await atCeiling(800_000);
      await server.client.call("appendMessages", { sessionId, messages: [large("d", 1)] });
      return await server.client.fail("updateMessage", { sessionId, message: large("d", 990_000) });
    },
    MEMORY_LIMIT_REACHED: () =>
      whileFull((sessionId) => {
        const update = { sessionId, message: message({ messageId: "m1199", tokenCount: MANY }) };
        return server.client.fail("updateMessage", update);
      }),
  },
  DeleteMessage: {
    SESSION_NOT_FOUND: () => server.client.fail("deleteMessage", gone),
    MESSAGE_NOT_FOUND: async () =>
      server.client.fail("deleteMessage", { ...gone, sessionId: await seeded([]) }),
    ETAG_MISMATCH: async () =>
      server.client.fail("deleteMessage", { ...gone, sessionId: await seeded(["a"]), etag: "x" }),
  },
  ExportSession: {
    SESSION_NOT_FOUND: async () => (await server.client.export({ sessionId: "gone" })).failure,
    SESSION_CHANGED: exportUntilChanged,
    STREAM_LIMIT_REACHED: exportTooMany,
  },
  ImportSession: {
    SESSION_ALREADY_EXISTS: async () => {
      const sessionId = await seeded([]);
      const { header } = await takeSnapshot(server.client, sessionId);
      return await failImport(server.client, { header });
    },
    SNAPSHOT_INVALID: () => failImport(server.client, {}),
    HOOK_NOT_CONFIGURED: () => {
      const asks = { removedTo: RemovedTo.SUMMARIZE, summarize: summarize({ hook: "nobody" }) };
      return importOf({ policy: written(bare([keepStage(asks)])) });
    },
    MEMORY_POLICY_MISSING: () =>
      importOf({ policy: written(bare([keepStage({ removedTo: RemovedTo.PROMOTE })])) }),
    UPLOAD_NOT_FOUND: () => failImport(server.client, { uploadId: "x", chunkIndex: 1 }),
    WINDOW_FULL: () => {
      const messages = Array.from({ length: 10_001 }, () => ({ role: "user" }));
      const document = Buffer.from(JSON.stringify(messages));
      return failImport(server.client, { format: "lauren", document });
    },
    UPLOAD_LIMIT_REACHED: importTooMany,
  },
};

const RPCS = Object.entries(WAYS);

describe.each(RPCS)("the errors of %s", (name, ways) => {
  const method = rpcsOf(CONTRACT).find((rpc) => rpc.name === name);
  if (method === undefined) throw new Error(`the contract has no rpc ${name}`);
  const told = errorsOf(CONTRACT, method).flatMap(({ code, reasons }) =>
    reasons.map((reason) => ({ reason, code })),
  );

  it("are those that its comment names", () => {
    expect(Object.keys(ways).sort()).toEqual(told.map(({ reason }) => reason).sort());
  });

  it.each(told)("can be $reason", { timeout: 30_000 }, async ({ reason, code }) => {
    const failure = await ways[reason]?.();
    expect([failure?.code, failure?.reason]).toEqual([code, reason]);
  });
});
