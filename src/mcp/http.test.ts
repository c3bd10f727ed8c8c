// The HTTP address by itself: what must hold when the listener or a caller fails. The protocol
// over it is tested at the server, in test/mcp.

import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import type { Server } from "node:http";
import { connect as openSocket } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { type McpHttp, startMcpHttp } from "./http.ts";

const seen = vi.hoisted(() => ({
  closed: [] as string[],
  answer: async (): Promise<Response> => new Response("{}"),
}));

vi.mock("@modelcontextprotocol/server", async (original) => ({
  ...(await original<object>()),
  createMcpHandler: () => ({
    fetch: () => seen.answer(),
    close: async () => void seen.closed.push("handler"),
  }),
}));

vi.mock("../gen/client/index.ts", async (original) => ({
  ...(await original<object>()),
  connect: () => ({
    serverInfo: async () => ({}),
    close: () => void seen.closed.push("client"),
  }),
}));

async function start(): Promise<McpHttp> {
  seen.closed.length = 0;
  const reach = { namespace: "default", userId: "", agentId: "", sessionId: "" };
  const http = await startMcpHttp({
    ...{ address: { kind: "tcp", host: "127.0.0.1", port: 0 }, hosts: [], tls: undefined },
    ...{ connectionsMax: 8, headersTimeoutMs: 5_000, stallTimeoutMs: 5_000 },
    ...{ server: "127.0.0.1:1", version: "1" },
    reachOf: () => ({ ...reach, isReadOnly: false, isReference: false }),
  });
  onTestFinished(() => http.stop());
  return http;
}

async function post(url: string, signal?: AbortSignal): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return await fetch(url, { method: "POST", body: "{}", headers, signal: signal ?? null });
}

test("keeps serving after faults of the listener", async () => {
  const { url } = await start();
  let server: Server | undefined;
  const onRequest = (message: unknown): void => {
    server = (message as { readonly server: Server }).server;
  };
  subscribe("http.server.request.start", onRequest);
  onTestFinished(() => void unsubscribe("http.server.request.start", onRequest));
  expect((await post(url)).status).toBe(200);
  // Without a listener, each of these would end the process.
  for (let time = 0; time < 3; time++) server?.emit("error", new Error("accept EMFILE"));
  expect(server?.listenerCount("error")).toBeGreaterThan(0);
  expect((await post(url)).status).toBe(200);
});

test("closes what a request has open after an answer, a fault and a caller that goes", async () => {
  const { url } = await start();
  const both = ["handler", "client"];
  await post(url);
  await expect.poll(() => seen.closed).toEqual(both);

  seen.closed.length = 0;
  seen.answer = async () => await Promise.reject(new Error("no answer"));
  await expect(post(url)).rejects.toThrow();
  await expect.poll(() => seen.closed).toEqual(both);

  seen.closed.length = 0;
  const endless = new ReadableStream({ start: (to) => to.enqueue(Buffer.from("x")) });
  seen.answer = async () => new Response(endless);
  const gone = new AbortController();
  const answer = await post(url, gone.signal);
  expect([answer.status, seen.closed]).toEqual([200, []]);
  gone.abort();
  await expect.poll(() => seen.closed).toEqual(both);
});

test("ends a request whose headers are cut off, and takes the next", async () => {
  const { url } = await start();
  seen.answer = async () => new Response("{}");
  const socket = openSocket(Number(new URL(url).port), "127.0.0.1");
  socket.on("error", () => {});
  await once(socket, "connect");
  socket.end("POST /mcp HTTP/1.1\r\nHo");
  socket.resume();
  await once(socket, "close");
  expect([(await post(url)).status, seen.closed]).toEqual([200, ["handler", "client"]]);
});
