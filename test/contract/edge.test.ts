// The edge itself: limits of work, deadlines, faults of the server, tokens, TLS, sockets, health,
// reflection and the order of a stop.

import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { credentials, status } from "@grpc/grpc-js";
import { afterEach, describe, expect, test } from "vitest";
import type { AppSettings } from "../../src/app.ts";
import { probe } from "../../src/edge/probe.ts";
import { HealthCheckRequest, HealthCheckResponse } from "../../src/gen/grpc/health/v1/health.ts";
import type { ListenAddress } from "../../src/grpc/address.ts";
import { AppError, recordCorrupt, storeFull } from "../../src/kit/errors.ts";
import type { Store } from "../../src/store/store.ts";
import {
  requestBytes,
  startContractServer,
  TestClient,
  type TestServer,
  type TestServerOptions,
} from "../support/contract/client.ts";
import { message } from "../support/contract/samples.ts";
import { makeTempDir } from "../support/kit/temp-dir.ts";

const started: TestServer[] = [];

async function start(options: TestServerOptions = {}): Promise<TestServer> {
  const server = await startContractServer(options);
  started.push(server);
  return server;
}

const withSettings = (settings: Partial<AppSettings>) => start({ settings });

afterEach(async () => {
  for (const server of started.splice(0)) await server[Symbol.asyncDispose]();
});

/** A store whose reads of sessions do what a test wants. */
function readingThrough(read: (store: Store, sessionId: string) => Promise<void>) {
  return (store: Store): Store =>
    new Proxy(store, {
      get: (target, name) => {
        if (name === "readSession") {
          const readSession: Store["readSession"] = async (ref) => {
            await read(target, ref.sessionId);
            return await target.readSession(ref);
          };
          return readSession;
        }
        const value = Reflect.get(target, name) as unknown;
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
}

const failing = (error: unknown) =>
  start({
    wrapStore: readingThrough(async () => {
      throw error;
    }),
  });

const sessionId = "s";
const tcp: ListenAddress = { kind: "tcp", host: "127.0.0.1", port: 0 };

describe("capacity", () => {
  test("refuses calls beyond the limit at once, and takes them again later", async () => {
    const gate = Promise.withResolvers<void>();
    const server = await start({
      settings: { handlersMax: 2 },
      wrapStore: readingThrough(async (_, id) => {
        if (id === "slow") await gate.promise;
      }),
    });
    const slow = [1, 2].map(() => server.client.fail("getSession", { sessionId: "slow" }));
    await wait(100);
    const refused = await server.client.fail("getSession", { sessionId });
    expect(refused).toMatchObject({
      code: "UNAVAILABLE",
      reason: "OVERLOADED",
      metadata: { limit: "2" },
      retryAfterMs: 100,
      pushbackMs: 100,
    });
    gate.resolve();
    for (const failure of await Promise.all(slow)) expect(failure.reason).toBe("SESSION_NOT_FOUND");
    const later = await server.client.fail("getSession", { sessionId });
    expect(later.reason).toBe("SESSION_NOT_FOUND");
  });

  test("refuses streams beyond the limit, and counts one off that ends", async () => {
    const server = await withSettings({ watchStreamsMax: 1 });
    const bytes = requestBytes("watchEvents", { start: { $case: "position", value: 1 } });
    const first = server.client.stream(bytes);
    first.on("error", () => {});
    await new Promise((resolve) => first.once("data", resolve));
    expect(await server.client.failStream(bytes)).toMatchObject({
      code: "UNAVAILABLE",
      reason: "STREAM_LIMIT_REACHED",
      metadata: { limit: "1" },
      retryAfterMs: 1_000,
      pushbackMs: 1_000,
    });
    first.cancel();
    await wait(100);
    const second = server.client.stream(bytes);
    second.on("error", () => {});
    await new Promise((resolve) => second.once("data", resolve));
    second.cancel();
  });

  test("closes the oldest connection without a call beyond the limit", async () => {
    const server = await withSettings({ connectionsMax: 2, listen: [tcp] });
    const port = Number(server.address.split(":")[1]);
    const open = [1, 2].map(() => connect(port, "127.0.0.1"));
    await Promise.all(
      open.map((socket) => new Promise((resolve) => socket.once("connect", resolve))),
    );
    await wait(50);
    const [first, second] = open;
    const closed = new Promise((resolve) => first?.once("close", resolve));
    // Without a reader the socket would never see its end.
    first?.on("error", () => {}).resume();
    const third = connect(port, "127.0.0.1");
    await closed;
    expect(second?.destroyed).toBe(false);
    for (const socket of [...open, third]) socket.destroy();
    await wait(50);
    expect((await server.client.fail("getSession", { sessionId })).reason).toBe(
      "SESSION_NOT_FOUND",
    );
  });
});

describe("a canceled call", () => {
  test("stops work that takes long", async () => {
    const signals: AbortSignal[] = [];
    const server = await start({
      wrapStore: (store) =>
        new Proxy(store, {
          get: (target, name) => {
            if (name !== "copySession") {
              const value = Reflect.get(target, name) as unknown;
              return typeof value === "function" ? value.bind(target) : value;
            }
            return (copy: { signal?: AbortSignal }) => {
              if (copy.signal !== undefined) signals.push(copy.signal);
              return new Promise((_, reject) => {
                copy.signal?.addEventListener("abort", () => reject(new Error("stopped")));
              });
            };
          },
        }),
    });
    const request = { sourceSessionId: "s" };
    // Long enough for the call to reach the store on a busy machine.
    const failure = await server.client.fail("forkSession", request, { deadlineMs: 1_500 });
    expect(failure.code).toBe("DEADLINE_EXCEEDED");
    await expect.poll(() => signals.map((signal) => signal.aborted)).toEqual([true]);
  });
});

describe("deadlines", () => {
  test("are answered while a read is under way", async () => {
    const server = await start({ wrapStore: readingThrough(async () => await wait(400)) });
    const failure = await server.client.fail("getSession", { sessionId }, { deadlineMs: 100 });
    expect(failure.code).toBe("DEADLINE_EXCEEDED");
    await wait(400);
    expect((await server.client.fail("getSession", { sessionId })).reason).toBe(
      "SESSION_NOT_FOUND",
    );
  });

  test("that have passed by the server's clock start no work", async () => {
    let reads = 0;
    const server = await start({
      wrapStore: readingThrough(async () => {
        reads += 1;
      }),
    });
    server.advance(60_000);
    const failure = await server.client.fail("getSession", { sessionId }, { deadlineMs: 5_000 });
    expect(failure).toMatchObject({ code: "DEADLINE_EXCEEDED", reason: "DEADLINE_EXCEEDED" });
    expect(reads).toBe(0);
  });
});

describe("faults", () => {
  test("of the server give a fixed text and an incident id that is in the log", async () => {
    const server = await failing(new TypeError("secret of the inside"));
    const failure = await server.client.fail("getSession", { sessionId });
    expect(failure).toMatchObject({ code: "INTERNAL", reason: "INTERNAL" });
    expect(failure.message).not.toContain("secret");
    const incident = failure.metadata["incident_id"] ?? "";
    expect(incident).toMatch(/^[0-9a-f]{16}$/);
    const line = server.log.find((text) => text.includes(incident));
    expect(line).toContain("secret of the inside");
    expect(line).toContain("edge.test.ts");
  });

  test("of a record are data loss, not a shorter answer", async () => {
    const server = await failing(recordCorrupt("message 7"));
    expect(await server.client.fail("getSession", { sessionId })).toMatchObject({
      code: "DATA_LOSS",
      reason: "RECORD_CORRUPT",
    });
  });

  test("of a full disk ask for room, not for a retry", async () => {
    const server = await failing(storeFull(10, 20));
    const failure = await server.client.fail("getSession", { sessionId }, { anyReason: true });
    expect(failure).toMatchObject({
      code: "RESOURCE_EXHAUSTED",
      reason: "STORE_FULL",
      metadata: { free_bytes: "10", floor_bytes: "20" },
      details: ["ErrorInfo"],
    });
  });

  test("never put more into the trailers than stock clients take", async () => {
    const violations = Array.from({ length: 40 }, (_, index) => ({
      field: `f${index}.`.repeat(500),
      description: "\u{1F600}".repeat(500),
    }));
    const error = new AppError("REQUEST_INVALID", "é".repeat(5_000), { violations });
    const server = await failing(error);
    const failure = await server.client.fail("getSession", { sessionId });
    expect(failure.reason).toBe("REQUEST_INVALID");
    expect(failure.fields.length).toBeGreaterThan(10);
    expect(failure.trailerBytes).toBeLessThan(8_000);
  });

  test("leave no content and no token in the log", async () => {
    const server = await start();
    const text = "the very content";
    await server.client.call(
      "appendMessages",
      { sessionId, createSession: true, messages: [message({ text })] },
      { token: "the-very-token" },
    );
    await server.client.fail("appendMessages", {
      sessionId,
      messages: [message({ text, role: 0 })],
    });
    expect(server.log.length).toBeGreaterThan(1);
    expect(server.log.join("")).not.toMatch(/the very content|the-very-token/);
  });
});

describe("tokens", () => {
  const good = "0123456789abcdefghijklmnopqrstuvwxyz";

  test("are asked for, compared, and read again when the file changes", async () => {
    await using directory = await makeTempDir();
    const tokenFile = join(directory.path, "tokens");
    writeFileSync(tokenFile, `# for the agent\n\n${good}\n`, { mode: 0o600 });
    const server = await withSettings({ tokenFile });
    const get = (token?: string) =>
      server.client.fail("getSession", { sessionId: "none" }, token === undefined ? {} : { token });
    expect(await get()).toMatchObject({ code: "UNAUTHENTICATED", reason: "TOKEN_MISSING" });
    expect(await get(`${good}x`)).toMatchObject({
      code: "UNAUTHENTICATED",
      reason: "TOKEN_INVALID",
    });
    expect((await get(good)).reason).toBe("SESSION_NOT_FOUND");
    expect((await server.client.failStream(requestBytes("watchEvents"))).reason).toBe(
      "TOKEN_MISSING",
    );
    const append = { sessionId, createSession: true, messages: [message({ messageId: "m" })] };
    await server.client.call("appendMessages", append, { token: good });
    const ref = { sessionId, messageId: "m" };
    const stored = await server.client.call("getMessage", ref, { token: good });
    expect(stored.message?.writer).toMatch(/^token-[0-9a-f]{8}$/);
    const other = good.toUpperCase();
    writeFileSync(tokenFile, `${other}\n`);
    await expect.poll(async () => (await get(good)).reason).toBe("TOKEN_INVALID");
    expect((await get(other)).reason).toBe("SESSION_NOT_FOUND");
  });

  test("that are too short keep the server from starting", async () => {
    await using directory = await makeTempDir();
    const tokenFile = join(directory.path, "tokens");
    writeFileSync(tokenFile, "short\n", { mode: 0o600 });
    await expect(startContractServer({ settings: { tokenFile } })).rejects.toThrow(
      "line 1 must be one token of 32 characters",
    );
  });
});

describe("addresses", () => {
  test("that others can reach need a token file or TLS", async () => {
    const listen: ListenAddress[] = [{ kind: "tcp", host: "0.0.0.0", port: 0 }];
    await expect(startContractServer({ settings: { listen } })).rejects.toThrow(
      "0.0.0.0:0 can be reached from other machines",
    );
  });

  test("speak TLS when there is a certificate; Unix sockets stay plain", async () => {
    await using directory = await makeTempDir();
    const tlsKey = join(directory.path, "key.pem");
    const tlsCert = join(directory.path, "cert.pem");
    const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
    const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    const files = ["-keyout", tlsKey, "-out", tlsCert];
    execFileSync("openssl", ["req", "-x509", ...key, ...files, "-days", "2", ...subject], {
      stdio: "ignore",
    });
    const unix: ListenAddress = { kind: "unix", path: join(directory.path, "plain.sock") };
    const server = await withSettings({ tlsKey, tlsCert, listen: [tcp, unix] });
    const port = server.address.split(":")[1];
    const secure = new TestClient(
      `localhost:${port}`,
      credentials.createSsl(readFileSync(tlsCert)),
    );
    expect((await secure.fail("getSession", { sessionId })).reason).toBe("SESSION_NOT_FOUND");
    secure.close();
    const inside = new TestClient(`unix:${unix.path}`);
    expect((await inside.fail("getSession", { sessionId })).reason).toBe("SESSION_NOT_FOUND");
    inside.close();
    const plain = new TestClient(`localhost:${port}`);
    expect((await plain.fail("getSession", { sessionId })).code).toBe("UNAVAILABLE");
    plain.close();
  });

  test("of Unix sockets are closed to others, and taken over from a dead server", async () => {
    await using directory = await makeTempDir();
    const path = join(directory.path, "new/s.sock");
    const listen: ListenAddress[] = [{ kind: "unix", path }];
    const first = await withSettings({ listen });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(directory.path, "new")).mode & 0o777).toBe(0o700);
    await expect(startContractServer({ settings: { listen } })).rejects.toThrow(
      "Another server answers",
    );
    expect((await first.client.fail("getSession", { sessionId })).reason).toBe("SESSION_NOT_FOUND");
    // A killed process leaves a socket file without a listener.
    const dead = join(directory.path, "dead.sock");
    const program = `require("net").createServer().listen(${JSON.stringify(dead)}, () =>
      process.kill(process.pid, "SIGKILL"))`;
    spawnSync(process.execPath, ["-e", program]);
    expect(statSync(dead).isSocket()).toBe(true);
    const second = await withSettings({ listen: [{ kind: "unix", path: dead }] });
    expect((await second.client.fail("getSession", { sessionId })).reason).toBe(
      "SESSION_NOT_FOUND",
    );
  });

  test("that are in use, or are no socket, are named", async () => {
    await using directory = await makeTempDir();
    const path = join(directory.path, "file");
    mkdirSync(path);
    const unix: ListenAddress[] = [{ kind: "unix", path }];
    await expect(startContractServer({ settings: { listen: unix } })).rejects.toThrow(
      "is not a socket",
    );
    const other = createServer();
    await new Promise<void>((resolve) => {
      other.listen(0, "127.0.0.1", resolve);
    });
    const bound = other.address();
    const port = typeof bound === "object" ? (bound?.port ?? 0) : 0;
    const taken: ListenAddress[] = [{ kind: "tcp", host: "127.0.0.1", port }];
    await expect(startContractServer({ settings: { listen: taken } })).rejects.toThrow(
      `Cannot listen on 127.0.0.1:${port}`,
    );
    other.close();
  });
});

describe("health", () => {
  const check = (server: TestServer, service: string) =>
    new Promise<number>((resolve) => {
      server.client.channel.makeUnaryRequest(
        "/grpc.health.v1.Health/Check",
        (request: HealthCheckRequest) => Buffer.from(HealthCheckRequest.encode(request).finish()),
        (bytes: Buffer) => HealthCheckResponse.decode(bytes),
        { service },
        (error, answer) => resolve(error === null ? (answer?.status ?? -1) : -error.code),
      );
    });

  test("is told for the server and for each service", async () => {
    const server = await start();
    const served = ["Admin", "Event", "Task", "Memory", "Recall", "Session"];
    const services = ["", ...served.map((name) => `memorysidecar.v1.${name}Service`)];
    for (const service of services) expect(await check(server, service)).toBe(1);
    expect(await check(server, "memorysidecar.v1.Nothing")).toBe(-status.NOT_FOUND);
  });

  test("is what the probe asks for", async () => {
    const server = await start();
    const path = server.address.slice("unix:".length);
    const nobody = { kind: "unix", path: `${path}x` } as const;
    const both = [nobody, { kind: "unix", path }] as const;
    expect(await probe(both, undefined, Date.now())).toBeUndefined();
    expect(await probe([nobody], undefined, Date.now())).toContain("No connection");
  });
});

describe("a stop", () => {
  test("lets calls under way finish, and closes the store after them", async () => {
    const gate = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    const server = await startContractServer({
      wrapStore: readingThrough(async () => {
        reached.resolve();
        await gate.promise;
      }),
    });
    const call = server.client.fail("getSession", { sessionId });
    await reached.promise;
    const stopped = server.app.stop();
    await wait(100);
    gate.resolve();
    expect((await call).reason).toBe("SESSION_NOT_FOUND");
    await stopped;
    await server[Symbol.asyncDispose]();
  });

  test("does not wait longer than the grace time", async () => {
    const server = await startContractServer({
      settings: { shutdownGraceMs: 100 },
      wrapStore: readingThrough(async () => await wait(3_000)),
    });
    const call = server.client.fail("getSession", { sessionId });
    await wait(100);
    const before = Date.now();
    await server.app.stop();
    expect(Date.now() - before).toBeLessThan(2_000);
    expect(["UNAVAILABLE", "CANCELLED"]).toContain((await call).code);
    await server[Symbol.asyncDispose]();
  });
});
