// Back-ups to a real server of object storage, by the command.

import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { TestClient } from "../support/contract/client.ts";
import { message } from "../support/contract/samples.ts";
import { makeTempDir } from "../support/kit/temp-dir.ts";
import { SERVER_MAIN } from "../support/process/server.ts";
import { start } from "./start.ts";

const ROOT = join(import.meta.dirname, "../..");
const SERVER = join(ROOT, "test/object-store");
/** More than one part of an upload. */
const TEXTS = Array.from({ length: 22 }, (_, at) => `${at} ${"word ".repeat(180_000)}`);
const PLACE = "s3://backups/nightly";

/** Starts the server of objects; gives the folder of its bucket and the variables to reach it. */
async function startObjects(): Promise<{ bucket: string; env: Record<string, string> }> {
  if (!existsSync(join(SERVER, "node_modules/s3rver"))) {
    execFileSync("npm", ["ci", "--ignore-scripts", "--silent"], { cwd: SERVER });
  }
  const folder = await makeFolder();
  const child = spawn(process.execPath, [join(SERVER, "s3-server.js"), folder]);
  onTestFinished(() => void child.kill());
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const env = {
    AWS_ACCESS_KEY_ID: "S3RVER",
    AWS_SECRET_ACCESS_KEY: "S3RVER",
    AWS_ENDPOINT_URL: `http://127.0.0.1:${line.toString().trim()}`,
  };
  return { bucket: join(folder, "backups"), env };
}

async function makeFolder(): Promise<string> {
  const directory = await makeTempDir();
  onTestFinished(() => directory[Symbol.asyncDispose]());
  return directory.path;
}

function command(env: Record<string, string>, ...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [SERVER_MAIN, ...args], {
    encoding: "utf8",
    env: { ...process.env, ...env },
  });
  return { status, stderr, report: stdout === "" ? {} : JSON.parse(stdout) };
}

/** Appends a text and gives all texts. */
async function write(address: string, texts: readonly string[]): Promise<readonly string[]> {
  const client = new TestClient(address);
  for (const text of texts) {
    const messages = [message({ text })];
    await client.call("appendMessages", { sessionId: "s", createSession: true, messages });
  }
  const read = [];
  for (let pageToken = ""; ; ) {
    const page = await client.call("listMessages", { sessionId: "s", pageToken });
    read.push(...page.messages.map(({ text }) => text));
    pageToken = page.nextPageToken;
    if (pageToken === "") break;
  }
  client.close();
  return read;
}

test("a running server is backed up to object storage and restored from there", {
  timeout: 300_000,
}, async () => {
  const { env, bucket } = await startObjects();
  const folder = await makeFolder();
  const server = await start({ dataDir: join(folder, "data") });
  await write(server.address, TEXTS);
  const names = [];
  for (let count = 0; count < 3; count++) {
    const made = command(env, "backup", server.address, PLACE, "--keep", "2");
    expect(made.stderr).toContain("reading back");
    expect(made).toMatchObject({ status: 0, report: { totals: expect.anything() } });
    names.push(made.report.url);
    if (count === 2) expect(made.report.removed).toEqual([names[0]]);
    await write(server.address, [`after ${count}`]);
  }
  await server.stop();
  expect(readdirSync(join(bucket, "nightly"))).toHaveLength(2);

  const newest = join(folder, "newest");
  expect(command(env, "restore", PLACE, newest)).toMatchObject({ status: 0 });
  const restored = await start({ dataDir: newest });
  expect(await write(restored.address, [])).toEqual([...TEXTS, "after 0", "after 1"]);
  await restored.stop();

  const older = join(folder, "older");
  expect(command(env, "restore", names[1], older)).toMatchObject({ status: 0 });
  const again = await start({ dataDir: older });
  expect(await write(again.address, [])).toEqual([...TEXTS, "after 0"]);
  await again.stop();
  expect(readdirSync(folder).filter((name) => name.startsWith("."))).toEqual([]);
});

test("what is not a whole back-up is never restored", async () => {
  const { env, bucket } = await startObjects();
  const folder = await makeFolder();
  const data = join(folder, "data");
  const server = await start({ dataDir: data });
  await write(server.address, ["one"]);
  await server.stop();
  const target = join(folder, "restored");
  expect(command(env, "restore", PLACE, target).stderr).toContain("no complete back-up");
  expect(command(env, "backup", data, PLACE)).toMatchObject({ status: 0 });
  const stored = findFile(join(bucket, "nightly"), (name) =>
    name.startsWith("data.mdb._S3rver_object"),
  );
  truncateSync(stored, 8_192);
  const cut = command(env, "restore", PLACE, target);
  expect(cut).toMatchObject({ status: 1, stderr: expect.stringContaining("manifest") });
  expect(existsSync(join(target, "data.mdb"))).toBe(false);
});

/** Starts a server that refuses every request in the way that S3 does; gives its URL. */
async function startRefusing(status: number, code: string, text: string): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    const body =
      `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code>` +
      `<Message>${text}</Message><RequestId>4442587FB7D0A2F9</RequestId></Error>`;
    response.writeHead(status, { "content-type": "application/xml" });
    response.end(request.method === "HEAD" ? "" : body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test.each([
  [403, "SignatureDoesNotMatch", "The request signature does not match the one you provided."],
  [403, "AccessDenied", "Access Denied"],
  [404, "NoSuchBucket", "The specified bucket does not exist"],
])("a refusal with %s %s is told, and nothing is left behind", async (status, code, text) => {
  const url = await startRefusing(status, code, text);
  const folder = await makeFolder();
  const data = join(folder, "data");
  const server = await start({ dataDir: data });
  await server.stop();
  const env = { AWS_ACCESS_KEY_ID: "AKIDEXAMPLE", AWS_SECRET_ACCESS_KEY: "not-told" };
  const target = join(folder, "restored");
  for (const args of [
    ["backup", data, PLACE],
    ["restore", PLACE, target],
  ]) {
    // The refusing server runs in this process: it must not be blocked.
    const child = spawn(process.execPath, [SERVER_MAIN, ...args, "--endpoint", url], {
      env: { ...process.env, ...env },
    });
    let stderr = "";
    child.stderr.on("data", (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    const [exit] = (await once(child, "close")) as [number];
    expect(exit, stderr).toBe(70);
    expect(stderr).toContain(`refuses s3://backups: ${code}: ${text}`);
    expect(stderr).not.toContain("not-told");
  }
  expect(readdirSync(folder)).toEqual(["data"]);
});

test("flags and variables are checked before anything is copied", async () => {
  const folder = await makeFolder();
  writeFileSync(join(folder, "x"), "");
  const none = { AWS_ACCESS_KEY_ID: "", AWS_SECRET_ACCESS_KEY: "", AWS_ENDPOINT_URL: "" };
  expect(command(none, "backup", folder, PLACE)).toMatchObject({
    status: 64,
    stderr: expect.stringContaining("set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"),
  });
  const keys = { AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "b" };
  expect(command(keys, "backup", folder, PLACE, "--keep", "0").stderr).toContain("from 1 on");
  expect(command(keys, "restore", PLACE, folder, "--endpoint", "host:9000").stderr).toContain(
    "does not begin with https:// or http://",
  );
  expect(command(keys, "backup", folder, join(folder, "b"), "--keep", "2").stderr).toContain(
    "goes with s3://BUCKET/PREFIX only",
  );
  expect(readFileSync(join(folder, "x"), "utf8")).toBe("");
});

function findFile(folder: string, isMeant: (name: string) => boolean): string {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).find(
    (entry) => entry.isFile() && isMeant(entry.name),
  );
  if (found === undefined) throw new Error("the object is not there");
  return join(found.parentPath, found.name);
}
