import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { failureOf } from "../../test/support/hooks/inputs.ts";
import {
  answerWith,
  drip,
  flood,
  noAnswer,
  resetAtOnce,
  resetInBody,
  type ScriptedHttp,
  startScriptedHttp,
  writeRaw,
} from "../../test/support/hooks/scripted-http.ts";
import { makeCertificate } from "../../test/support/kit/certificate.ts";
import { makeTempDir } from "../../test/support/kit/temp-dir.ts";
import { type Resolve, SYSTEM_RESOLVE } from "./address-guard.ts";
import { Deadline } from "./deadline.ts";
import { HttpClient, type HttpEndpoint, retryAfterMs } from "./http-client.ts";

const KIB = 1_024;

function clientFor(endpoint: ScriptedHttp, options: Partial<HttpEndpoint> = {}): HttpClient {
  return new HttpClient({
    url: new URL(`${endpoint.url}/v1/chat/completions`),
    allowPrivateAddress: false,
    ca: undefined,
    maxResponseBytes: 64 * KIB,
    resolve: SYSTEM_RESOLVE,
    ...options,
  });
}

async function post(
  client: HttpClient,
  options: { timeoutMs?: number; signal?: AbortSignal; headers?: Record<string, string> } = {},
) {
  const { timeoutMs = 5_000, signal = new AbortController().signal, headers = {} } = options;
  using deadline = new Deadline(timeoutMs, signal);
  return await client.post({ body: Buffer.from("{}"), headers, deadline });
}

describe("HttpClient", () => {
  test("sends a post, and asks for an answer that is not compressed", async () => {
    await using endpoint = await startScriptedHttp([answerWith(200, "hello")]);
    const client = clientFor(endpoint);
    const answer = await post(client, { headers: { "x-one": "1" } });
    expect([answer.status, answer.body.toString()]).toEqual([200, "hello"]);
    const [request] = endpoint.requests;
    expect(request?.path).toBe("/v1/chat/completions");
    expect(request?.headers).toMatchObject({
      host: `127.0.0.1:${endpoint.port}`,
      "accept-encoding": "identity",
      "content-length": "2",
      "x-one": "1",
    });
    client.close();
  });

  test("uses a connection again", async () => {
    await using endpoint = await startScriptedHttp([answerWith(200, "hello")]);
    const client = clientFor(endpoint);
    for (let round = 0; round < 5; round++) await post(client);
    expect(endpoint.connections).toBe(1);
    client.close();
  });

  test("tries once more when a kept connection was closed", async () => {
    await using endpoint = await startScriptedHttp([answerWith(200, "hello"), resetAtOnce]);
    const client = clientFor(endpoint);
    await post(client);
    endpoint.script(resetAtOnce, answerWith(200, "again"));
    expect((await post(client)).body.toString()).toBe("again");
    expect(endpoint.connections).toBe(2);
    client.close();
  });

  test("reads chunks, and an answer that ends with its connection", async () => {
    await using endpoint = await startScriptedHttp([
      writeRaw("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"),
      (socket) => socket.end("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nto the end"),
    ]);
    const client = clientFor(endpoint);
    expect((await post(client)).body.toString()).toBe("hello");
    expect((await post(client)).body.toString()).toBe("to the end");
    client.close();
  });

  test.each([
    ["no answer", noAnswer],
    ["one byte at a time", drip(20)],
    ["headers that never end", writeRaw("HTTP/1.1 200 OK\r\nx-one: ")],
    ["interim answers only", writeRaw("HTTP/1.1 100 Continue\r\n\r\n")],
    ["a body that stops", writeRaw("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf")],
  ])("ends at the deadline with %s", async (_, act) => {
    await using endpoint = await startScriptedHttp([act]);
    const client = clientFor(endpoint);
    const startMs = performance.now();
    const failure = await failureOf(post(client, { timeoutMs: 300 }));
    expect(failure.reason).toBe("timeout");
    expect(performance.now() - startMs).toBeLessThan(2_000);
    await expect.poll(() => endpoint.open).toBe(0);
    client.close();
  });

  test("cuts an endless body off, and stops reading", async () => {
    let sentBytes = 0;
    const onClose = (sent: number): void => {
      sentBytes = sent;
    };
    await using endpoint = await startScriptedHttp([flood(1_073_741_824, onClose)]);
    const client = clientFor(endpoint);
    expect((await failureOf(post(client))).reason).toBe("output-too-long");
    await expect.poll(() => sentBytes).toBeGreaterThan(0);
    // As much as the system's buffers hold, not a gigabyte.
    expect(sentBytes).toBeLessThan(32 * KIB * KIB);
    client.close();
  });

  test("reads an error of endless length no further either", async () => {
    const head = "HTTP/1.1 500 X\r\ntransfer-encoding: chunked\r\n\r\n";
    await using endpoint = await startScriptedHttp([flood(1_073_741_824, undefined, head)]);
    const client = clientFor(endpoint);
    expect((await post(client)).status).toBe(500);
    await expect.poll(() => endpoint.open).toBe(0);
    client.close();
  });

  const bomb = gzipSync(Buffer.alloc(1_048_576));
  test.each([
    ["output-too-long", "a length above the limit", writeRaw(lengthOf(1_073_741_824))],
    ["invalid-output", "a compressed bomb", answerWith(200, bomb, { "content-encoding": "gzip" })],
    ["invalid-output", "brotli", answerWith(200, "x", { "content-encoding": "br" })],
    ["refused", "a redirect", answerWith(302, "", { location: "http://169.254.169.254/" })],
    ["refused", "a permanent redirect", answerWith(308, "", { location: "/elsewhere" })],
    ["refused", "an upgrade", writeRaw(switchTo("h2c"))],
    ["hook-error", "a reset before the answer", resetAtOnce],
    ["hook-error", "a reset in the body", resetInBody],
    ["hook-error", "headers above 16 KiB", writeRaw(bigHeader(65_536))],
    ["hook-error", "very many headers", writeRaw(`HTTP/1.1 200 OK\r\n${"x: 1\r\n".repeat(9_999)}`)],
    ["hook-error", "an answer that is not HTTP", writeRaw("SSH-2.0-OpenSSH_9.6\r\n")],
    ["hook-error", "chunks that are none", writeRaw(chunked("zz\r\nhello\r\n"))],
    ["hook-error", "two lengths", writeRaw(twoLengths())],
  ])("fails with %s for %s", async (reason, _, act) => {
    await using endpoint = await startScriptedHttp([act]);
    const client = clientFor(endpoint);
    expect((await failureOf(post(client))).reason).toBe(reason);
    expect(endpoint.requests).toHaveLength(1);
    await expect.poll(() => endpoint.open).toBe(0);
    client.close();
  });

  test("gives the status of a compressed error", async () => {
    const act = answerWith(429, gzipSync("x"), { "content-encoding": "gzip", "retry-after": "3" });
    await using endpoint = await startScriptedHttp([act]);
    const client = clientFor(endpoint);
    const answer = await post(client);
    expect([answer.status, answer.headers["retry-after"], answer.body.length]).toEqual([
      429,
      "3",
      0,
    ]);
    client.close();
  });

  test.each([
    ["in one piece", 0],
    ["later", 50],
  ])("never takes garbage behind an answer for the next one: %s", async (_, delayMs) => {
    const forged = "HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nforged";
    const real = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nreal\r\n0\r\n\r\n";
    await using endpoint = await startScriptedHttp([
      (socket) => {
        if (delayMs === 0) socket.write(real + forged);
        else {
          socket.write(real);
          setTimeout(() => socket.write(forged), delayMs);
        }
      },
    ]);
    const client = clientFor(endpoint);
    for (let round = 0; round < 3; round++) {
      // A connection that was out of step may fail its request; its garbage is never an answer.
      const body = await post(client).then((answer) => answer.body.toString(), String);
      expect(body).not.toContain("forged");
      await new Promise((resolve) => setTimeout(resolve, delayMs * 2));
    }
    expect(endpoint.connections).toBeGreaterThan(1);
    client.close();
  });

  test("cannot be made to send headers of others", async () => {
    await using endpoint = await startScriptedHttp([answerWith(200, "hello")]);
    const client = clientFor(endpoint);
    const injected = post(client, { headers: { authorization: "Bearer a\r\nx-injected: 1" } });
    await expect(injected).rejects.toThrow();
    expect(endpoint.connections).toBe(0);
    client.close();
  });

  test("ends when the server stops, and uses up no attempt", async () => {
    await using endpoint = await startScriptedHttp([noAnswer]);
    const client = clientFor(endpoint);
    const stop = new AbortController();
    const failure = failureOf(post(client, { signal: stop.signal }));
    await expect.poll(() => endpoint.requests.length).toBe(1);
    stop.abort();
    expect((await failure).reason).toBe("unreachable");
    await expect.poll(() => endpoint.open).toBe(0);
    expect((await failureOf(post(client, { signal: stop.signal }))).reason).toBe("unreachable");
    expect(endpoint.requests).toHaveLength(1);
    client.close();
  });

  test("says that nobody listens", async () => {
    const endpoint = await startScriptedHttp([noAnswer]);
    const client = clientFor(endpoint);
    await endpoint[Symbol.asyncDispose]();
    const failure = await failureOf(post(client));
    expect(failure.reason).toBe("unreachable");
    expect(failure.message).toBe("The endpoint is unreachable (ECONNREFUSED).");
  });
});

describe("HttpClient and names", () => {
  test("connects to the address that was checked, whatever the DNS says later", async () => {
    await using endpoint = await startScriptedHttp([answerWith(200, "hello")]);
    const answers = [["127.0.0.1"], ["10.255.255.1"]];
    let asked = 0;
    const resolve: Resolve = async () => {
      const now = answers[Math.min(asked++, 1)] ?? [];
      return now.map((address) => ({ address, family: 4 }));
    };
    const url = new URL(`http://model.example:${endpoint.port}/v1`);
    const client = clientFor(endpoint, { url, resolve, allowPrivateAddress: true });
    expect((await post(client)).status).toBe(200);
    expect(asked).toBe(1);
    expect(endpoint.requests[0]?.headers["host"]).toBe(`model.example:${endpoint.port}`);
    client.close();
  });

  test("refuses a name as soon as it leads to a private address", async () => {
    await using endpoint = await startScriptedHttp([answerWith(200, "hello")]);
    const url = new URL(`http://model.example:${endpoint.port}/v1`);
    const resolve: Resolve = async () => [{ address: "127.0.0.1", family: 4 }];
    const client = clientFor(endpoint, { url, resolve });
    const failure = await failureOf(post(client));
    expect(failure.reason).toBe("unreachable");
    expect(failure.message).toContain("allow_private_address");
    expect(endpoint.connections).toBe(0);
    client.close();
  });

  test("speaks TLS, and checks the name", async () => {
    await using folder = await makeTempDir();
    const tls = makeCertificate(folder.path, "model.example");
    await using endpoint = await startScriptedHttp([answerWith(200, "hello")], { tls });
    const resolve: Resolve = async () => [{ address: "127.0.0.1", family: 4 }];
    const named = (host: string, ca: string | undefined): HttpClient => {
      const url = new URL(`https://${host}:${endpoint.port}/v1`);
      return clientFor(endpoint, { url, resolve, ca, allowPrivateAddress: true });
    };
    const client = named("model.example", tls.cert);
    for (let round = 0; round < 3; round++) expect((await post(client)).status).toBe(200);
    expect(endpoint.connections).toBe(1);
    client.close();
    for (const bad of [named("other.example", tls.cert), named("model.example", undefined)]) {
      expect((await failureOf(post(bad))).reason).toBe("unreachable");
      bad.close();
    }
    expect(endpoint.requests).toHaveLength(3);
  });

  test.each([
    "http://169.254.169.254/v1",
    "http://2852039166/v1",
    "http://0251.0376.0251.0376/v1",
    "https://[::ffff:a9fe:a9fe]/v1",
    "http://metadata.google.internal/v1",
  ])("does not even ask for a metadata service: %s", async (url) => {
    await using endpoint = await startScriptedHttp([noAnswer]);
    const never: Resolve = () => Promise.reject(new Error("The DNS was asked."));
    const client = clientFor(endpoint, { url: new URL(url), resolve: never });
    expect((await failureOf(post(client))).message).toContain("metadata service");
    client.close();
  });

  test("checks each new connection again", async () => {
    await using endpoint = await startScriptedHttp([
      (socket) => socket.end("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nhello"),
    ]);
    // The operator named localhost; the DNS moves it to another machine afterwards.
    const answers = ["127.0.0.1", "10.0.0.1"];
    const resolve: Resolve = async () => [{ address: answers.shift() ?? "", family: 4 }];
    const url = new URL(`http://localhost:${endpoint.port}/v1`);
    const client = clientFor(endpoint, { url, resolve });
    expect((await post(client)).status).toBe(200);
    expect((await failureOf(post(client))).message).toContain("not public (private)");
    client.close();
  });

  test("waits for a slow DNS no longer than the deadline", async () => {
    await using endpoint = await startScriptedHttp([answerWith(200, "hello")]);
    const url = new URL("http://model.example/v1");
    const client = clientFor(endpoint, { url, resolve: () => new Promise(() => {}) });
    expect((await failureOf(post(client, { timeoutMs: 100 }))).reason).toBe("timeout");
    client.close();
  });
});

const NOW_MS = Date.parse("2026-01-01T00:00:00Z");

test.each([
  ["0", 0],
  ["7", 7_000],
  [" 7 ", 7_000],
  ["99999", 3_600_000],
  ["Thu, 01 Jan 2026 00:00:30 GMT", 30_000],
  ["Thu, 01 Jan 2026 23:00:00 GMT", 3_600_000],
  ["Wed, 31 Dec 2025 00:00:00 GMT", 0],
  ["soon", undefined],
  ["", undefined],
  ["-5", undefined],
  ["9".repeat(400), undefined],
  [undefined, undefined],
])("reads Retry-After %j", (header, ms) => {
  expect(retryAfterMs(header, NOW_MS, 3_600_000)).toBe(ms);
});

function lengthOf(bytes: number): string {
  return `HTTP/1.1 200 OK\r\ncontent-length: ${bytes}\r\n\r\n`;
}

function switchTo(protocol: string): string {
  return `HTTP/1.1 101 X\r\nconnection: upgrade\r\nupgrade: ${protocol}\r\n\r\n`;
}

function bigHeader(bytes: number): string {
  return `HTTP/1.1 200 OK\r\nx-big: ${"x".repeat(bytes)}\r\n\r\n`;
}

function chunked(chunks: string): string {
  return `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${chunks}`;
}

function twoLengths(): string {
  return "HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 9\r\n\r\nhello";
}
