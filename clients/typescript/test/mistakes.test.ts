// The mistakes that newcomers make: each error says what is wrong and what to do.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeCertificate } from "../../../test/support/kit/certificate.ts";
import { type RunningServer, startServer } from "../../../test/support/process/server.ts";
import {
  type ConnectOptions,
  connect,
  filter,
  type MemorySidecar,
  makePolicy,
  preset,
} from "../src/index.ts";

const dir = mkdtempSync(join(tmpdir(), "ms-"));
let server: RunningServer;
let client: MemorySidecar;

beforeAll(async () => {
  server = await startServer({ dataDir: join(dir, "data") });
  client = connect(server.address);
  await client.ensureSession("s");
  await client.append("s", { role: "user", text: "a", messageId: "m" });
});

afterAll(async () => {
  client.close();
  await server.stop();
  rmSync(dir, { recursive: true });
});

const list = async (items: AsyncIterable<unknown>): Promise<void> => {
  for await (const _ of items);
};

const MISTAKES: Record<string, [(it: MemorySidecar) => Promise<unknown>, string[]]> = {
  "another namespace": [
    (it) => it.getSession("s", { namespace: "other" }),
    ['Session "s" in namespace "other"', "createSession"],
  ],
  "append before create": [
    (it) => it.append("none", "hi"),
    ['Session "none" in namespace "default"', "createSession: true"],
  ],
  "create twice": [(it) => it.createSession({ sessionId: "s" }), ['Session "s"', "ensureSession"]],
  "content of OpenAI": [
    (it) => it.append("s", { role: "user", content: "hi" } as never),
    ['no field "content"', "text"],
  ],
  "role developer": [
    (it) => it.append("s", { role: "developer", text: "x" } as never),
    ["role must be user, assistant, system"],
  ],
  "unknown field of a session": [
    (it) => it.createSession({ session_id: "t" } as never),
    ['no field "session_id"', '"sessionId"'],
  ],
  "unknown field of a filter": [
    (it) => list(it.listSessions({ user: "ana" } as never)),
    ['listSessions has no option "user": did you mean "userId"?'],
  ],
  "message id twice": [
    (it) => it.append("s", { role: "user", text: "b", messageId: "m" }),
    ['Message "m" of session "s"', "requestId"],
  ],
  "message over 1 MiB": [(it) => it.append("s", "x".repeat(2_000_000)), ["messages[0]", "1048576"]],
  "append over 4 MiB": [
    (it) => it.append("s", Array(6).fill("x".repeat(900_000))),
    ["4194304", "less in one call"],
  ],
  order: [
    (it) => list(it.listMessages("s", { order: "newest" as never })),
    ["newest-first", '"newest"'],
  ],
  "purge of an empty user": [
    (it) => it.purgeMemories({ userId: "" }, { force: true } as never),
    ["userId"],
  ],
  "tool calls of OpenAI": [
    (it) =>
      it.append("s", {
        role: "assistant",
        toolCalls: [{ id: "c", type: "function" }],
      } as never),
    ['tool call has no field "id"', "toolCallId"],
  ],
  "unknown preset": [
    (it) => it.createSession({ sessionId: "t", policy: preset("sliding" as never, {} as never) }),
    ["preset.name", "sliding_window"],
  ],
  "unknown option of a preset": [
    (it) => {
      const policy = preset("sliding_window", { max: 3 } as never);
      return it.createSession({ sessionId: "t", policy });
    },
    ["max", "max_messages"],
  ],
  "invalid CEL": [
    (it) => {
      const policy = makePolicy([filter("f", "role ==")]);
      return it.createSession({ sessionId: "t", policy });
    },
    ["conditions"],
  ],
  "embedding of another length": [
    (it) => it.recall("x", { embedding: [0.5, 0.5] }),
    ["128 values", "embed()"],
  ],
  "unknown hook": [
    (it) =>
      it.createSession({
        sessionId: "t",
        policy: preset("rolling_summary", { max_tokens: 1000, hook: "none" }),
      }),
    ["none"],
  ],
};

const failure = async (run: () => Promise<unknown>): Promise<string> => {
  try {
    await run();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("the mistake went unnoticed");
};

test.each(Object.keys(MISTAKES))("the error of: %s", async (name) => {
  const [mistake, words] = MISTAKES[name] as (typeof MISTAKES)[string];
  const message = await failure(() => mistake(client));
  for (const word of words) expect(message).toContain(word);
});

test.each(["http://localhost:7437", "localhost", ""])("refuses the address %j", (address) => {
  expect(() => connect(address)).toThrow("the address must be host:port");
});

test("names the address of a server that is down", async () => {
  const nobody = connect("localhost:1", { timeoutMs: 500 });
  const message = await failure(() => nobody.getSession("s"));
  expect(message).toContain("No server answers at localhost:1. Is it running there?");
  nobody.close();
});

test("names the token that is missing", async () => {
  const file = join(dir, "tokens");
  writeFileSync(file, "a-token-of-the-test-0123456789-0123456789\n", { mode: 0o600 });
  const guarded = await startServer({
    dataDir: join(dir, "guarded"),
    args: ["--token-file", file],
  });
  const stranger = connect(guarded.address);
  expect(await failure(() => stranger.getSession("s"))).toContain("connect(address, { token })");
  stranger.close();
  await guarded.stop();
});

test("ensureSession and ensureConsumer take what exists", async () => {
  const made = await client.ensureSession("e", { userId: "ana" });
  for (const fields of [{}, { userId: "" }, { userId: "ana", agentId: "b" }]) {
    expect(await client.ensureSession("e", fields)).toEqual(made);
  }
  const consumer = await client.ensureConsumer("c");
  expect(await client.ensureConsumer("c", { from: "oldest", requestId: "r" })).toEqual(consumer);
});

test("ensureSession gives nobody the session of another user", async () => {
  await client.ensureSession("of-ana", { userId: "ana" });
  await client.ensureSession("of-nobody");
  expect((await client.ensureSession("of-nobody", { userId: "ben" })).userId).toBe("");
  await expect(client.ensureSession("of-ana", { userId: "ben" })).rejects.toMatchObject({
    reason: "SESSION_ALREADY_EXISTS",
    message:
      'Session "of-ana" exists, and belongs to another user than "ben". Give each user a session ' +
      "of its own.",
  });
});

describe("a connection that fails for its encryption", () => {
  let tls: RunningServer;
  let address: string;

  beforeAll(async () => {
    makeCertificate(dir, "localhost");
    makeCertificate(dir, "elsewhere");
    const files = { cert: join(dir, "localhost.cert.pem"), key: join(dir, "localhost.key.pem") };
    const args = ["--tls-cert", files.cert, "--tls-key", files.key];
    tls = await startServer({ dataDir: join(dir, "tls"), args });
    address = tls.address.replace("127.0.0.1", "localhost");
  });

  afterAll(() => tls.stop());

  const ca = (host: string) => join(dir, `${host}.cert.pem`);
  const plain = () => server.address.replace("127.0.0.1", "localhost");
  const retry = { maxAttempts: 1 };
  test.each<[string, () => string, ConnectOptions["tls"], string]>([
    ["TLS on a plain server", plain, true, "does not speak TLS: leave tls out."],
    ["no TLS on a server with TLS", () => address, undefined, "If it speaks TLS, pass tls."],
    ["an unknown authority", () => address, true, "is not trusted: check tls.ca."],
    ["another authority", () => address, { ca: ca("elsewhere") }, "not trusted: check tls.ca."],
    [
      ...(["another name", () => address] as const),
      ...([{ ca: ca("localhost"), serverName: "elsewhere" }, "check tls.serverName."] as const),
    ],
  ])("for %s says so", async (_, to, settings, fault) => {
    const stranger = connect(to(), { tls: settings, timeoutMs: 5_000, retry });
    const message = await failure(() => stranger.serverInfo());
    expect(message).toContain(`server at ${to()} `);
    expect(message).toContain(fault);
    stranger.close();
  });

  test("is none with the right authority", async () => {
    const friend = connect(address, { tls: { ca: ca("localhost") } });
    expect((await friend.serverInfo()).version).not.toBe("");
    friend.close();
  });
});
