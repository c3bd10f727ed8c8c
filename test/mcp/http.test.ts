// The protocol over HTTP at the server itself, with the official client and with bare requests.

import { spawnSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { join } from "node:path";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { connect } from "../../clients/typescript/src/index.ts";
import { makeCertificate } from "../support/kit/certificate.ts";
import { makeTempDir } from "../support/kit/temp-dir.ts";
import { installPeers, overHttp } from "../support/mcp/peers.ts";
import { type RunningServer, SERVER_MAIN, startServer } from "../support/process/server.ts";

const TOKEN = "t".repeat(40);
const OTHER = "u".repeat(40);

beforeAll(installPeers, 120_000);

interface Served extends RunningServer {
  readonly url: string;
  readonly folder: string;
}

async function serve(makeArgs: (folder: string) => readonly string[] = () => []): Promise<Served> {
  const directory = await makeTempDir();
  const args = ["--http-listen", "127.0.0.1:0", ...makeArgs(directory.path)];
  const server = await startServer({ dataDir: join(directory.path, "data"), args });
  onTestFinished(async () => {
    await server.kill();
    await directory[Symbol.asyncDispose]();
  });
  const url = String(server.logs.find(({ msg }) => msg === "serving")?.["http"]);
  return { ...server, url, folder: directory.path };
}

function withTokens(folder: string): readonly string[] {
  writeFileSync(join(folder, "tokens"), `${TOKEN}\n${OTHER}\n`, { mode: 0o600 });
  return ["--token-file", join(folder, "tokens")];
}

const LIST = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} });

interface Bare {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** Sends one request as it is. */
function send(
  url: string,
  headers: Readonly<Record<string, string>> = {},
  options: { readonly method?: string; readonly body?: string; readonly ca?: Buffer } = {},
): Promise<Bare> {
  const { method = "POST", body = LIST, ca } = options;
  const all = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...headers,
  };
  const open = url.startsWith("https:") ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const sent = open(url, { method, headers: all, ca }, (answer) => {
      let text = "";
      answer.on("data", (chunk: Buffer) => {
        text += chunk.toString();
      });
      answer.on("end", () =>
        resolve({ status: answer.statusCode, headers: answer.headers, body: text }),
      );
    });
    sent.on("error", reject);
    sent.end(method === "POST" ? body : undefined);
  });
}

test("offers the tools to both generations of the protocol, for the user of the headers", async () => {
  const { url, address } = await serve();
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
  const ana = await overHttp(url, {
    "Memory-Sidecar-User": "ana",
    "memory-sidecar-namespace": "h",
  });
  const negotiate = { versionNegotiation: { mode: "auto" } };
  const eva = await overHttp(
    url,
    { "Memory-Sidecar-User": "%C3%89va", "memory-sidecar-namespace": "h" },
    negotiate,
  );
  const reader = await overHttp(url, { "Memory-Sidecar-Read-Only": "true" });
  expect((await ana.client.listTools()).tools.length).toBe(8);
  expect((await reader.client.listTools()).tools.length).toBe(5);
  const { memory_id: id } = await ana.data("remember", { content: "Ana lives in Berlin." });
  expect(await eva.data("recall", { query: "Where does Ana live?" })).toEqual({ hits: [] });
  expect(await eva.data("forget", { memory_id: id })).toMatchObject({ forgotten: false });
  const found = await ana.data("recall", { query: "Where does Ana live?" });
  expect(found.hits).toMatchObject([{ id, text: "Ana lives in Berlin." }]);
  const own = await eva.data("remember", { content: "Éva lives in Pécs." });
  const client = connect(address, { namespace: "h" });
  onTestFinished(() => client.close());
  expect((await client.getMemory(own.memory_id)).userId).toBe("Éva");
  const writes = await Promise.all(
    Array.from({ length: 40 }, (_, at) => {
      return (at % 2 === 0 ? ana : eva).data("remember", { content: `Number ${at}.` });
    }),
  );
  expect(new Set(writes.map((one) => one.memory_id)).size).toBe(40);
});

test("takes the tokens of the server, and answers 401 without", async () => {
  const { url, folder } = await serve(withTokens);
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  for (const headers of [{}, bearer("x".repeat(40)), { authorization: `Basic ${TOKEN}` }]) {
    const refused = await send(url, headers);
    expect(refused.status).toBe(401);
    expect(refused.headers["www-authenticate"]).toBe("Bearer");
    expect(refused.body).toMatch(/operator must configure/);
  }
  expect((await send(url, bearer(TOKEN))).status).toBe(200);
  const { data } = await overHttp(url, bearer(OTHER));
  expect(await data("list_memories")).toEqual({ memories: [], more: false });
  // A token that is taken away counts no more.
  writeFileSync(join(folder, "tokens"), `${TOKEN}\n`, { mode: 0o600 });
  await expect.poll(async () => (await send(url, bearer(OTHER))).status).toBe(401);
});

test("refuses other hosts, other sites, other paths and large bodies", async () => {
  const { url, logs } = await serve(() => ["--http-hosts", "memory.example.com"]);
  const { port } = new URL(url);
  const status = async (headers: Readonly<Record<string, string>>, path = url) =>
    (await send(path, headers)).status;
  expect(await status({ host: `localhost:${port}` })).toBe(200);
  expect(await status({ host: "memory.example.com" })).toBe(200);
  expect(await status({ host: "Memory.Example.com:443" })).toBe(200);
  expect(await status({ origin: "http://localhost:3000" })).toBe(200);
  expect(await status({ origin: "https://memory.example.com" })).toBe(200);
  for (const host of [
    "evil.example.com",
    "127.0.0.1.evil.com",
    "localhost@evil.com",
    "evil.com@localhost",
  ]) {
    expect(await status({ host }), host).toBe(403);
  }
  for (const origin of [
    "https://evil.example.com",
    "null",
    "file://",
    "http://localhost.evil.com",
  ]) {
    expect(await status({ origin }), origin).toBe(403);
  }
  expect(await status({}, url.replace("/mcp", "/"))).toBe(404);
  expect(await status({}, `${url}x`)).toBe(404);
  for (const host of ["localhost:99999", "localhost:65536"]) {
    const refused = await send(url, { host });
    expect([refused.status, refused.body], host).toEqual([400, expect.stringMatching(/65535/)]);
  }
  expect(await status({ host: "localhost:65535" })).toBe(200);
  for (const method of ["GET", "DELETE", "TRACE", "PUT", "OPTIONS"]) {
    const refused = await send(url, {}, { method });
    expect([refused.status, refused.headers["allow"]], method).toEqual([405, "POST"]);
  }
  expect((await send(url, {}, { body: "secretword {" })).status).toBe(400);
  const large = await send(url, {}, { body: `"${"secretword".repeat(500_000)}"` });
  expect(large.status).toBe(413);
  const wrong = await send(url, { "memory-sidecar-usr": "ana" });
  expect([wrong.status, wrong.body]).toEqual([400, expect.stringMatching(/memory-sidecar-user/)]);
  expect(await status({ "memory-sidecar-user": "%" })).toBe(400);
  expect(await status({ "memory-sidecar-read-only": "maybe" })).toBe(400);
  expect(JSON.stringify(logs)).not.toContain("secretword");
});

test("encrypts with the certificate of the server", async () => {
  let ca: Buffer | undefined;
  const { url } = await serve((folder) => {
    ca = Buffer.from(makeCertificate(folder, "localhost").cert);
    const key = join(folder, "localhost.key.pem");
    chmodSync(key, 0o600);
    return ["--tls-cert", join(folder, "localhost.cert.pem"), "--tls-key", key];
  });
  expect(url).toMatch(/^https:/);
  const answer = await send(url.replace("127.0.0.1", "localhost"), {}, ca && { ca });
  expect(answer.status).toBe(200);
  expect(answer.body).toContain("remember");
});

test("does not start where others could reach it, and stops in order", async () => {
  await using directory = await makeTempDir();
  const args = (address: string) => [
    ...[SERVER_MAIN, "serve", "--data-dir", directory.path, "--listen", "127.0.0.1:0"],
    ...["--http-listen", address],
  ];
  const open = spawnSync(process.execPath, args("0.0.0.0:0"), { encoding: "utf8" });
  expect([open.status, open.stderr]).toEqual([64, expect.stringMatching(/--http-listen: 0\.0/)]);
  const { url, stop } = await serve();
  const { port } = new URL(url);
  const taken = spawnSync(process.execPath, args(`127.0.0.1:${port}`), { encoding: "utf8" });
  expect([taken.status, taken.stderr]).toEqual([64, expect.stringMatching(/EADDRINUSE/)]);
  const { data } = await overHttp(url);
  await data("remember", { content: "Kept." });
  expect(await stop()).toEqual({ code: 0, signal: null });
});
