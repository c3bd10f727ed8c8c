// The HTTP address beside callers that keep to no rule: bare sockets send what they like, when they
// like, and read what they like.

import { once } from "node:events";
import { connect as openSocket, type Socket } from "node:net";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { connect, type MemorySidecar } from "../../clients/typescript/src/index.ts";
import { collect } from "../../clients/typescript/src/pages.ts";
import { makeTempDir } from "../support/kit/temp-dir.ts";
import { type RunningServer, startServer } from "../support/process/server.ts";

/** Limit of headers and of stalled transfers, short for the tests. */
const LIMIT_MS = 1_000;
const BODY_BYTES_MAX = 4_194_304;
const CALL = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} });

let server: RunningServer;
let client: MemorySidecar;
let port = 0;
let stop: () => Promise<void> = async () => {};

beforeAll(async () => {
  const directory = await makeTempDir();
  const limits = ["--stall-timeout-ms", "--preface-timeout-ms"];
  const args = ["--http-listen", "127.0.0.1:0", ...limits.flatMap((flag) => [flag, `${LIMIT_MS}`])];
  server = await startServer({ dataDir: directory.path, args });
  client = connect(server.address);
  port = Number(new URL(String(server.logs.find(({ msg }) => msg === "serving")?.["http"])).port);
  stop = async () => {
    client.close();
    await server.kill();
    await directory[Symbol.asyncDispose]();
  };
}, 60_000);

afterAll(() => stop());

/** Opens a connection and sends the beginning of it. */
async function open(beginning: string): Promise<Socket> {
  const socket = openSocket(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => {});
  await once(socket, "connect");
  socket.write(beginning);
  return socket;
}

/** Headers of a request with a body of some length. */
function headers(length: number, ...more: readonly string[]): string {
  return [
    ...["POST /mcp HTTP/1.1", "Host: localhost", "Content-Type: application/json"],
    ...["Accept: application/json, text/event-stream", `Content-Length: ${length}`, ...more],
    ...["", ""],
  ].join("\r\n");
}

/** Everything that a connection gives until it closes. */
async function rest(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
  await once(socket, "close");
  return text;
}

test("closes the connection after a body that is too large to read", async () => {
  const socket = await open(headers(BODY_BYTES_MAX + 1, "Connection: keep-alive") + "x".repeat(64));
  const answer = await rest(socket);
  expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  expect(answer.split("\r\n\r\n")[0]?.toLowerCase()).toContain("\r\nconnection: close");
});

test("keeps the connection of a request that it has read", async () => {
  const socket = await open(headers(CALL.length) + CALL);
  const [answer] = (await once(socket, "data")) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 /);
  expect(answer.toString().toLowerCase()).not.toContain("\r\nconnection: close\r\n");
});

test("lets go of callers that are slow to send", async () => {
  const started = Date.now();
  const answers = await Promise.all(
    ["", "POST /mcp HTTP/1.1\r\nHost:", `${headers(CALL.length)}{`].map(async (text) => {
      return await rest(await open(text));
    }),
  );
  expect(Date.now() - started).toBeLessThan(4 * LIMIT_MS);
  for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 408 /);
});

test("takes nothing from a body that is cut off, and serves on", async () => {
  const params = { name: "remember", arguments: { content: "cut off" } };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  const before = server.logs.length;
  for (const end of ["end", "destroy"] as const) {
    const socket = await open(headers(body.length + 1) + body);
    const closed = once(socket, "close");
    socket.resume()[end]();
    await closed;
  }
  const socket = await open(headers(CALL.length, "Connection: close") + CALL);
  expect(await rest(socket)).toMatch(/^HTTP\/1\.1 200 /);
  expect(await collect(client.listMemories())).toEqual([]);
  expect(server.logs.slice(before).filter(({ level }) => Number(level) >= 40)).toEqual([]);
});

const MANY = 800;

/** Reads the graph, 25 MB that no buffer of the system holds, and pauses after the first bytes. */
async function readLate(waitMs: number): Promise<string> {
  const params = { name: "read_graph", arguments: {} };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  const graph = "Memory-Sidecar-Reference-Memory: true";
  const socket = await open(headers(body.length, "Connection: close", graph) + body);
  await once(socket, "readable");
  await new Promise((resolve) => setTimeout(resolve, waitMs));
  return await rest(socket);
}

test("lets go of a caller that stops to read, and waits for one that pauses", async () => {
  await client.remember({ entity: { name: "E", type: "t" } });
  for (let at = 0; at < MANY; at += 200) {
    const texts = Array.from({ length: 200 }, (_, i) => `${at + i} ${"x".repeat(16_000)}`);
    const facts = texts.map((text) => ({ text, topics: ["E"] }));
    await client.remember(facts, { dedupe: { mode: "none" } });
  }
  const whole = await readLate(LIMIT_MS / 4);
  expect(whole).toMatch(/"id":1\}/);
  const cut = await readLate(4 * LIMIT_MS);
  expect(cut).toMatch(/^HTTP\/1\.1 200 /);
  expect(cut.length).toBeLessThan(whole.length);
});
