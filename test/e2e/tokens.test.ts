// Tokens that are taken away end what was opened with them, and files that others can read hold no
// secret: a server in a process of its own, whose token file changes under it.

import { chmodSync, chownSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ServiceError } from "@grpc/grpc-js";
import { expect, onTestFinished, test, vi } from "vitest";
import { type Failure, failureOf, requestBytes, TestClient } from "../support/contract/client.ts";
import { NOW } from "../support/contract/watch.ts";
import { makeCertificate } from "../support/kit/certificate.ts";
import { makeTempDir } from "../support/kit/temp-dir.ts";
import { start } from "./start.ts";

const GONE = "a-token-that-is-taken-away-0123456789";
const KEPT = "a-token-that-stays-valid-0123456789ab";
const CHANGE_MS = 20_000;
const WAIT = { wait: { seconds: 30n, nanos: 0 } };
const NOBODY = 65_534;

/** A server with a token file of these lines, and a client. */
async function startWith(lines: readonly string[], hooks: object = {}) {
  const directory = await makeTempDir();
  onTestFinished(() => directory[Symbol.asyncDispose]());
  const tokenFile = join(directory.path, "tokens");
  const hooksFile = join(directory.path, "hooks.json");
  writeFileSync(tokenFile, `${lines.join("\n")}\n`, { mode: 0o600 });
  writeFileSync(hooksFile, JSON.stringify({ hooks }));
  const args = ["--token-file", tokenFile, "--hooks-file", hooksFile];
  const server = await start({ dataDir: join(directory.path, "data"), args });
  const client = new TestClient(server.address);
  onTestFinished(() => client.close());
  const get = (token: string) => client.fail("getSession", { sessionId: "none" }, { token });
  return { server, client, tokenFile, get };
}

/** A watch; `ended` settles with its failure. */
async function openWatch(client: TestClient, token: string) {
  const stream = client.stream(requestBytes("watchEvents", { start: NOW }), { token });
  const ended = new Promise<Failure>((resolve) => {
    stream.on("error", (error) => resolve(failureOf(error as ServiceError)));
  });
  onTestFinished(() => stream.cancel());
  // The checkpoint that opens every watch.
  await new Promise((resolve) => stream.once("data", resolve));
  stream.resume();
  return { stream, ended };
}

/** Rejects when a promise takes longer than a change of the token file may. */
async function soon<T>(promise: Promise<T>): Promise<T> {
  const late = new Promise<never>((_, reject) => {
    setTimeout(
      () => reject(new Error(`nothing happened within ${CHANGE_MS} ms`)),
      CHANGE_MS,
    ).unref();
  });
  return await Promise.race([promise, late]);
}

test("a token that is removed ends its watches and polls, and no others, without a new call", async () => {
  const { server, client, tokenFile } = await startWith([GONE, KEPT], { agents: { kind: "poll" } });
  const gone = await openWatch(client, GONE);
  const kept = await openWatch(client, KEPT);
  let keptEnded = false;
  void kept.ended.then(() => {
    keptEnded = true;
  });
  const poll = client.fail("pollTasks", { hooks: ["agents"], ...WAIT }, { token: GONE });
  const next = `${tokenFile}.next`;
  writeFileSync(next, `${KEPT}\n`, { mode: 0o600 });
  renameSync(next, tokenFile);
  const refused = { code: "UNAUTHENTICATED", reason: "TOKEN_INVALID" };
  const [watchFailure, pollFailure] = await soon(Promise.all([gone.ended, poll]));
  expect(watchFailure).toMatchObject(refused);
  expect(pollFailure).toMatchObject(refused);
  await client.call("createSession", {}, { token: KEPT });
  expect(keptEnded).toBe(false);
  expect(JSON.stringify(server.logs)).not.toContain(GONE);
});

test.each([
  ["emptied", (file: string) => writeFileSync(file, "")],
  ["deleted", (file: string) => rmSync(file)],
  ["left with comments only", (file: string) => writeFileSync(file, "# nobody\n")],
])("a token file that is %s lets nobody in until it names tokens again", async (_, change) => {
  const { client, tokenFile, get } = await startWith([KEPT]);
  const watch = await openWatch(client, KEPT);
  change(tokenFile);
  expect(await soon(watch.ended)).toMatchObject({ reason: "TOKEN_INVALID" });
  expect((await get(KEPT)).reason).toBe("TOKEN_INVALID");
  writeFileSync(tokenFile, `${KEPT}\n`, { mode: 0o600 });
  await vi.waitFor(
    async () => expect((await get(KEPT)).reason).toBe("SESSION_NOT_FOUND"),
    CHANGE_MS,
  );
});

test("a faulty line grants nothing and takes nothing from the other lines", async () => {
  const { server, tokenFile, get } = await startWith([GONE, KEPT]);
  writeFileSync(tokenFile, `${KEPT}\nshort\n`);
  await vi.waitFor(async () => expect((await get(GONE)).reason).toBe("TOKEN_INVALID"), CHANGE_MS);
  expect((await get(KEPT)).reason).toBe("SESSION_NOT_FOUND");
  expect((await get("short")).reason).toBe("TOKEN_INVALID");
  expect(JSON.stringify(server.logs)).toContain("line 2 must be one token");
});

test("a token file that others can read brings no new token, and still takes tokens away", async () => {
  const { server, tokenFile, get } = await startWith([GONE, KEPT]);
  const added = "a-token-that-everybody-could-read-01234";
  writeFileSync(tokenFile, `${KEPT}\n${added}\n`);
  chmodSync(tokenFile, 0o644);
  await vi.waitFor(async () => expect((await get(GONE)).reason).toBe("TOKEN_INVALID"), CHANGE_MS);
  expect((await get(KEPT)).reason).toBe("SESSION_NOT_FOUND");
  expect((await get(added)).reason).toBe("TOKEN_INVALID");
  expect(JSON.stringify(server.logs)).toContain("every user of this machine may read it");
  chmodSync(tokenFile, 0o600);
  await vi.waitFor(
    async () => expect((await get(added)).reason).toBe("SESSION_NOT_FOUND"),
    CHANGE_MS,
  );
});

/** Gives a file to somebody else than root, as the files of most servers are. */
function disown(path: string): void {
  if (process.getuid?.() === 0) chownSync(path, NOBODY, NOBODY);
}

test.each([
  ["every user may read it", 0o604, "every user of this machine may read it"],
  ["a group may read it that its owner is not root of", 0o640, "its group may read it"],
  ["a group may write it", 0o620, "its group may write it"],
])("a start with a secret file is refused when %s, unless it is allowed", async (_, mode, text) => {
  await using directory = await makeTempDir();
  const path = (name: string): string => join(directory.path, name);
  makeCertificate(directory.path, "localhost");
  const [cert, key] = [path("localhost.cert.pem"), path("localhost.key.pem")];
  writeFileSync(path("tokens"), `${KEPT}\n`);
  writeFileSync(path("hook-key"), "the-key-of-a-hook");
  const hook = { kind: "openai", url: "http://127.0.0.1:1/v1", model: "m", key_file: "hook-key" };
  const bearer = { kind: "grpc", target: "127.0.0.1:1", token_file: "hook-key" };
  writeFileSync(path("hooks.json"), JSON.stringify({ hooks: { hook, bearer } }));
  const secrets = [path("tokens"), key, path("hook-key")];
  for (const file of secrets) {
    chmodSync(file, mode);
    disown(file);
  }
  const args = ["--token-file", path("tokens"), "--tls-cert", cert, "--tls-key", key];
  args.push("--hooks-file", path("hooks.json"));
  const refused = await start({ dataDir: path("data"), args }).catch(String);
  expect(refused).toContain("ended with 64");
  expect(refused).toContain(`--token-file: ${path("tokens")}: ${text}`);
  expect(refused).toContain(`--tls-key: ${key}: ${text}`);
  expect(refused).toContain(`hooks.hook.key_file: ${text}`);
  expect(refused).toContain(`hooks.bearer.token_file: ${text}`);
  expect(refused).toContain("chmod 600");
  expect(refused).toContain("--allow-exposed-secrets");
  await start({ dataDir: path("data"), args: [...args, "--allow-exposed-secrets"] });
});

test.runIf(process.getuid?.() === 0)(
  "a secret of root may be readable for its group, as Kubernetes mounts it with an fsGroup",
  async () => {
    await using directory = await makeTempDir();
    const tokenFile = join(directory.path, "tokens");
    writeFileSync(tokenFile, `${KEPT}\n`);
    chownSync(tokenFile, 0, 1_000);
    chmodSync(tokenFile, 0o440);
    await start({ dataDir: join(directory.path, "data"), args: ["--token-file", tokenFile] });
  },
);
