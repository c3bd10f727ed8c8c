// Connections of strangers fill the server, and end by deadlines; a client with a token and the
// health probe get in all the same.

import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { connect as connectSocket, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { connect } from "../../clients/typescript/src/index.ts";
import { requestBytes, TestClient } from "../support/contract/client.ts";
import { NOW } from "../support/contract/watch.ts";
import { makeTempDir } from "../support/kit/temp-dir.ts";
import { SERVER_MAIN } from "../support/process/server.ts";
import { start } from "./start.ts";

const CONNECTIONS = 256;
const TOKEN = "0123456789abcdef0123456789abcdef";

async function startWithToken(...args: readonly string[]) {
  const directory = await makeTempDir();
  onTestFinished(() => directory[Symbol.asyncDispose]());
  const tokenFile = join(directory.path, "tokens");
  writeFileSync(tokenFile, `${TOKEN}\n`, { mode: 0o600 });
  const dataDir = join(directory.path, "data");
  const server = await start({ dataDir, args: ["--token-file", tokenFile, ...args] });
  const client = connect(server.address, { token: TOKEN, retry: { maxAttempts: 1 } });
  onTestFinished(() => client.close());
  return { address: server.address, port: Number(server.address.split(":")[1]), client };
}

/** The exit code of `memory-sidecar health`. */
function health(address: string): number | null {
  return spawnSync(process.execPath, [SERVER_MAIN, "health", address]).status;
}

type Stranger = Socket | ClientHttp2Session;

async function openSilent(port: number): Promise<Stranger> {
  const socket = connectSocket(port, "127.0.0.1");
  socket.on("error", () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  // One that reads nothing does not see how it ends.
  return socket.resume();
}

/** Opens a session that answers pings and calls nothing. */
async function openAnswering(port: number): Promise<ClientHttp2Session> {
  const session = connectHttp2(`http://127.0.0.1:${port}`);
  session.on("error", () => {});
  onTestFinished(() => session.destroy());
  await once(session, "remoteSettings");
  return session;
}

function begin(session: ClientHttp2Session, path: string, token: string) {
  const stream = session.request({
    ":method": "POST",
    ":path": path,
    "content-type": "application/grpc",
    te: "trailers",
    authorization: `Bearer ${token}`,
  });
  stream.on("error", () => {});
  return stream;
}

/** Sends half a request with a token that the server does not know. */
async function openHalfSent(port: number): Promise<Stranger> {
  const session = await openAnswering(port);
  begin(session, "/memorysidecar.v1.SessionService/AppendMessages", "x".repeat(40)).write("\0\0");
  return session;
}

/** Watches the health of the server, which needs no token. */
async function openHealthWatch(port: number): Promise<Stranger> {
  const session = await openAnswering(port);
  begin(session, "/grpc.health.v1.Health/Watch", "").end(Buffer.alloc(5));
  return session;
}

const STRANGERS = [
  ["silent", openSilent],
  ["ping-answering", openAnswering],
  ["half-sent", openHalfSent],
  ["health-watching", openHealthWatch],
] as const;

test.each(STRANGERS)("%s connections keep nobody out", async (_, open) => {
  const { address, port, client } = await startWithToken();
  await Promise.all(Array.from({ length: CONNECTIONS }, () => open(port)));
  await client.createSession({ sessionId: "s" });
  expect(health(address)).toBe(0);
  // Newcomers take the places of those without a call: the client keeps its connection.
  await Promise.all(Array.from({ length: CONNECTIONS }, () => open(port)));
  await client.window("s");
});

/** Life of a connection in milliseconds; undefined when it outlives the wait. */
async function lifeOf(stranger: Stranger, waitMs: number): Promise<number | undefined> {
  const startMs = performance.now();
  const closed = once(stranger, "close").then(() => performance.now() - startMs);
  return await Promise.race([closed, sleep(waitMs, undefined)]);
}

test("connections are closed that do not speak HTTP/2, or call nothing with a token", async () => {
  const deadlines = ["--preface-timeout-ms", "500", "--first-call-timeout-ms", "4000"];
  const { port, client } = await startWithToken(...deadlines);
  await client.createSession({ sessionId: "s" });
  const lives = await Promise.all(
    STRANGERS.map(async ([, open]) => await lifeOf(await open(port), 8_000)),
  );
  const [silent, answering, halfSent, healthWatching] = lives;
  expect(silent).toBeLessThan(3_500);
  expect(answering).toBeGreaterThan(2_000);
  expect(halfSent).toBeGreaterThan(2_000);
  expect(healthWatching).toBeUndefined();
  await client.window("s");
});

test("an idle connection ends in order though it pings, and its client does not notice", async () => {
  const { port, client } = await startWithToken("--connection-idle-ms", "1000");
  await client.createSession({ sessionId: "s" });
  const session = await openAnswering(port);
  // A session is destroyed a moment before it says that it is closed.
  const pings = setInterval(() => void (session.destroyed || session.ping(() => {})), 100);
  session.once("close", () => clearInterval(pings));
  const [code] = await once(session, "goaway");
  expect(code).toBe(0);
  await sleep(2_000);
  await client.window("s");
});

test("health is answered while every connection has an open call", async () => {
  const { address, client } = await startWithToken("--max-connections", "2");
  for (let count = 0; count < 2; count++) {
    const watcher = new TestClient(address, undefined, { "grpc.use_local_subchannel_pool": 1 });
    onTestFinished(() => watcher.close());
    const watch = watcher.stream(requestBytes("watchEvents", { start: NOW }), { token: TOKEN });
    watch.on("error", () => {});
    await once(watch, "data");
    watch.resume();
  }
  await expect(client.createSession({ sessionId: "s" })).rejects.toThrow();
  // More than there are places in reserve.
  for (let count = 0; count < 6; count++) await openSilent(Number(address.split(":")[1]));
  expect(health(address)).toBe(0);
});
