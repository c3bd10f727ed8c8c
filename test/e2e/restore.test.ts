// A copy that is put back: what was given out after it was taken is refused, by real processes.

import { spawnSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { connect } from "../../clients/typescript/src/index.ts";
import { TestClient } from "../support/contract/client.ts";
import { message } from "../support/contract/samples.ts";
import { afterToken } from "../support/contract/watch.ts";
import { makeTempDir } from "../support/kit/temp-dir.ts";
import { type RunningServer, SERVER_MAIN } from "../support/process/server.ts";
import { start } from "./start.ts";

const PAGE = { sessionId: "s", pageSize: 1 };

interface Serving {
  readonly server: RunningServer;
  readonly client: TestClient;
  /** Closes the client and ends the server. */
  end(signal?: NodeJS.Signals): Promise<void>;
}

async function serve(dataDir: string): Promise<Serving> {
  const server = await start({ dataDir });
  const client = new TestClient(server.address);
  return {
    server,
    client,
    end: async (signal = "SIGTERM") => {
      client.close();
      await server.kill(signal);
    },
  };
}

async function append(client: TestClient, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const messages = [message({ text: "a" })];
    await client.call("appendMessages", { sessionId: "s", createSession: true, messages });
  }
}

/** The tokens that a client holds after it read everything. */
async function tokensOf(client: TestClient) {
  const { resumeToken } = await client.call("listEvents", {});
  const { nextPageToken: pageToken } = await client.call("listMessages", PAGE);
  return { resumeToken, pageToken };
}

type Tokens = Awaited<ReturnType<typeof tokensOf>>;

async function expectRefused(client: TestClient, { resumeToken, pageToken }: Tokens) {
  const events = { start: afterToken(resumeToken) };
  expect((await client.fail("listEvents", events)).reason).toBe("RESUME_TOKEN_FOREIGN");
  const page = { ...PAGE, pageToken };
  expect((await client.fail("listMessages", page)).reason).toBe("PAGE_TOKEN_INVALID");
}

async function expectTaken(client: TestClient, { resumeToken, pageToken }: Tokens) {
  await client.call("listEvents", { start: afterToken(resumeToken) });
  await client.call("listMessages", { ...PAGE, pageToken });
}

test.each([
  ["a stopped", true],
  ["a running", false],
])("a copy of %s server refuses tokens of the lost future", async (_, isStopped) => {
  await using directory = await makeTempDir();
  const [live, copy] = ["live", "copy"].map((name) => join(directory.path, name));
  if (live === undefined || copy === undefined) throw new Error("no directory");
  let original = await serve(live);
  await append(original.client, 10);
  const shared = await tokensOf(original.client);
  if (isStopped) await original.end();
  cpSync(live, copy, { recursive: true });
  if (isStopped) original = await serve(live);
  await append(original.client, 10);
  const lost = await tokensOf(original.client);
  await original.end();
  rmSync(live, { recursive: true });
  cpSync(copy, live, { recursive: true });

  const restored = await serve(live);
  await expectRefused(restored.client, lost);
  await append(restored.client, 15);
  await expectRefused(restored.client, lost);
  await expectTaken(restored.client, shared);
  const { events } = await restored.client.call("listEvents", {
    start: afterToken(shared.resumeToken),
  });
  expect(events).toHaveLength(15);

  const sidecar = connect(restored.server.address);
  let states = 0;
  const readState = () => {
    states++;
    return Promise.resolve();
  };
  const stream = sidecar.watch({ from: { resumeToken: lost.resumeToken }, readState });
  const next = stream[Symbol.asyncIterator]().next();
  await expect.poll(() => states).toBe(1);
  await append(restored.client, 1);
  expect((await next).done).not.toBe(true);
  sidecar.close();
  await restored.end();
});

test("a restart and a kill keep every token", async () => {
  await using directory = await makeTempDir();
  const held: Tokens[] = [];
  for (const [count, signal] of [
    [2, "SIGTERM"],
    [0, "SIGKILL"],
    [0, "SIGTERM"],
    [3, "SIGKILL"],
    [1, "SIGKILL"],
  ] as const) {
    const { client, end } = await serve(directory.path);
    if (held.length > 0) held.push(await tokensOf(client));
    await append(client, count);
    held.push(await tokensOf(client));
    for (const tokens of held) await expectTaken(client, tokens);
    await end(signal);
  }
});

test("restores what a killed server had acknowledged last", async () => {
  await using temporary = await makeTempDir();
  const [live, copy] = [join(temporary.path, "live"), join(temporary.path, "copy")];
  const killed = await serve(live);
  await append(killed.client, 10);
  await killed.end("SIGKILL");
  // Another file there is a back-up of its own, which the redo log has nothing to do with.
  const other = join(live, "other.mdb");
  cpSync(join(live, "data.mdb"), other);
  for (const [from, to] of [
    [live, copy],
    [other, `${copy}-2`],
  ] as const) {
    const command = [SERVER_MAIN, "restore", from, to];
    const { status, stderr } = spawnSync(process.execPath, command, { encoding: "utf8" });
    expect(status, stderr).toBe(0);
  }
  const restored = await serve(copy);
  const { messages } = await restored.client.call("listMessages", { ...PAGE, pageSize: 20 });
  expect(messages).toHaveLength(10);
  await restored.end();
  const older = await serve(`${copy}-2`);
  expect((await older.client.fail("listMessages", PAGE)).reason).toBe("SESSION_NOT_FOUND");
  await older.end();
});
