// Back-up, restore and compaction of a directory that nobody serves, with the real command.

import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { TestClient } from "../support/contract/client.ts";
import { message } from "../support/contract/samples.ts";
import { afterToken } from "../support/contract/watch.ts";
import { makeCertificate } from "../support/kit/certificate.ts";
import { makeTempDir } from "../support/kit/temp-dir.ts";
import { SERVER_MAIN } from "../support/process/server.ts";
import { start } from "./start.ts";

const ERASED = "erased-words-of-a-message";
const PAGE = { sessionId: "s", pageSize: 1 };

function run(...args: readonly string[]) {
  const argv = [SERVER_MAIN, ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, { encoding: "utf8" });
  return { status, stdout, stderr };
}

/** A folder for the running test. */
async function makeFolder(): Promise<string> {
  const directory = await makeTempDir();
  onTestFinished(() => directory[Symbol.asyncDispose]());
  return directory.path;
}

async function serve(dataDir: string, ...args: readonly string[]) {
  const server = await start({ dataDir, args });
  const client = new TestClient(server.address);
  const end = async () => {
    client.close();
    await server.stop();
  };
  return { server, client, end };
}

async function append(client: TestClient, texts: readonly string[]): Promise<void> {
  for (const text of texts) {
    const messages = [message({ text })];
    await client.call("appendMessages", { sessionId: "s", createSession: true, messages });
  }
}

async function textsOf(client: TestClient): Promise<readonly string[]> {
  const { messages } = await client.call("listMessages", { sessionId: "s", pageSize: 1_000 });
  return messages.map(({ text }) => text);
}

/** Makes a store with messages, of which every second one was erased. */
async function makeStore(dataDir: string): Promise<readonly string[]> {
  const { client, end } = await serve(dataDir);
  const texts = Array.from({ length: 60 }, (_, i) => `${ERASED} ${i} ${"x".repeat(i * 200)}`);
  await append(client, texts);
  const { messages } = await client.call("listMessages", { sessionId: "s", pageSize: 1_000 });
  for (const { messageId } of messages) {
    await client.call("deleteMessage", { sessionId: "s", messageId });
  }
  await append(client, ["kept 1", "kept 2"]);
  const kept = await textsOf(client);
  await end();
  return kept;
}

const holds = (path: string, words: string): boolean => readFileSync(path).includes(words);

describe("a back-up", () => {
  test("restores every message with a new history, and holds nothing erased", async () => {
    const folder = await makeFolder();
    const [live, copy, restored] = ["live", "copy", "restored"].map((name) => join(folder, name));
    if (live === undefined || copy === undefined || restored === undefined) throw new Error("none");
    const kept = await makeStore(live);
    const backUp = run("backup", live, copy);
    expect(backUp).toMatchObject({ status: 0 });
    expect(readdirSync(copy).sort()).toEqual(["backup.json", "data.mdb"]);
    const manifest = JSON.parse(readFileSync(join(copy, "backup.json"), "utf8"));
    expect(JSON.parse(backUp.stdout)).toEqual(manifest);
    expect(manifest).toMatchObject({
      bytes: statSync(join(copy, "data.mdb")).size,
      totals: { sessions: 1 },
    });
    expect(backUp.stderr).toContain("verifying");
    expect(holds(join(live, "data.mdb"), ERASED)).toBe(true);
    expect(holds(join(copy, "data.mdb"), ERASED)).toBe(false);

    const original = await serve(live);
    const { resumeToken } = await original.client.call("listEvents", {});
    const { nextPageToken: pageToken } = await original.client.call("listMessages", PAGE);
    await append(original.client, ["lost"]);
    await original.end();

    const report = run("restore", copy, restored);
    expect(report).toMatchObject({ status: 0 });
    expect(JSON.parse(report.stdout)).toMatchObject({ storeId: manifest.storeId });
    const { client, end } = await serve(restored);
    expect(await textsOf(client)).toEqual(kept);
    const events = { start: afterToken(resumeToken) };
    expect((await client.fail("listEvents", events)).reason).toBe("RESUME_TOKEN_FOREIGN");
    const page = await client.fail("listMessages", { ...PAGE, pageToken });
    expect(page.reason).toBe("PAGE_TOKEN_INVALID");
    await append(client, ["after"]);
    expect(await textsOf(client)).toEqual([...kept, "after"]);
    await end();
    expect(run("verify", restored).status).toBe(0);
  });

  test("is refused where it would overwrite, and while a server runs", async () => {
    const folder = await makeFolder();
    const live = join(folder, "live");
    const { end } = await serve(live);
    const used = run("backup", live, join(folder, "copy"));
    expect(used).toMatchObject({ status: 73 });
    for (const source of [live, join(live, "data.mdb")]) {
      const restored = run("restore", source, join(folder, "restored"));
      expect(restored).toMatchObject({ status: 73, stderr: used.stderr });
    }
    await end();
    expect(run("backup", live, live).stderr).toContain("exists already");
    expect(run("backup", folder, join(folder, "copy")).stderr).toContain("no store in");
    expect(run("backup", live)).toMatchObject({ status: 64 });
    expect(readdirSync(folder)).toEqual(["live"]);
  });

  test("is refused when the store or the back-up is damaged", async () => {
    const folder = await makeFolder();
    const [live, copy] = [join(folder, "live"), join(folder, "copy")];
    await makeStore(live);
    expect(run("backup", live, copy).status).toBe(0);
    const path = join(copy, "data.mdb");
    const bytes = readFileSync(path);
    const at = bytes.indexOf("kept 1");
    bytes.write("lost", at);
    writeFileSync(path, bytes);
    const restored = join(folder, "restored");
    const refused = run("restore", copy, restored);
    expect(refused).toMatchObject({ status: 1 });
    expect(refused.stderr).toContain(`The back-up ${copy} is damaged`);
    // Without its manifest the check of the records is left.
    const bare = run("restore", path, restored);
    expect(bare).toMatchObject({ status: 1 });
    expect(bare.stderr).toContain(`The back-up ${path} is damaged`);
    cpSync(path, join(live, "data.mdb"));
    expect(run("backup", live, join(folder, "other"))).toMatchObject({ status: 1 });
    expect(existsSync(join(folder, "other"))).toBe(false);
    expect(existsSync(join(folder, "other.partial"))).toBe(false);
  });

  test("is not restored over anything, and a restore that broke off serves nothing", async () => {
    const folder = await makeFolder();
    const [live, copy, to] = ["live", "copy", "to"].map((name) => join(folder, name));
    if (live === undefined || copy === undefined || to === undefined) throw new Error("none");
    const kept = await makeStore(live);
    expect(run("backup", live, copy).status).toBe(0);
    const over = run("restore", copy, live);
    expect(over.status).toBe(70);
    expect(over.stderr).toContain("is not empty");
    mkdirSync(join(to, "restoring"), { recursive: true });
    writeFileSync(join(to, "store.json"), "{}\n");
    await expect(serve(to)).rejects.toThrow(/is gone/);
    expect(run("restore", copy, to).status).toBe(0);
    const { client, end } = await serve(to);
    expect(await textsOf(client)).toEqual(kept);
    await end();
  });
});

describe("a back-up of a running server", () => {
  test("under appends holds everything acknowledged before it, and is restored", async () => {
    const folder = await makeFolder();
    const [live, backUps, restored] = ["live", "back-ups", "restored"].map((name) =>
      join(folder, name),
    );
    if (live === undefined || backUps === undefined || restored === undefined) throw new Error("");
    mkdirSync(backUps);
    const { client, end } = await serve(live, "--backup-dir", backUps);
    const acknowledged: string[] = [];
    let isDone = false;
    const writers = [0, 1, 2, 3].map(async (writer) => {
      for (let i = 0; !isDone; i++) {
        const text = `${writer} ${i} ${"x".repeat(i % 50 === 0 ? 20_000 : 200)}`;
        const messages = [message({ text })];
        const session = { sessionId: "s", createSession: true };
        await client.call("appendMessages", { ...session, messages });
        acknowledged.push(text);
      }
    });
    await expect.poll(() => acknowledged.length, { timeout: 60_000 }).toBeGreaterThan(200);
    const before = [...acknowledged];
    const { chunks, failure } = await client.backUp({ maxBytesPerSecond: 1_000_000n });
    expect(failure).toBeUndefined();
    const made = chunks.at(-1)?.part;
    if (made?.$case !== "backUp") throw new Error("no back-up");
    const { resumeToken } = await client.call("listEvents", {});
    const { nextPageToken: pageToken } = await client.call("listMessages", PAGE);
    isDone = true;
    await Promise.all(writers);
    await end();

    const { name, sizeBytes, content, sha256 } = made.value;
    expect(readdirSync(backUps).filter((entry) => !entry.startsWith("owner"))).toEqual([name]);
    const copy = join(backUps, name);
    expect(statSync(join(copy, "data.mdb")).size).toBe(Number(sizeBytes));
    expect(JSON.parse(readFileSync(join(copy, "backup.json"), "utf8"))).toMatchObject({ sha256 });
    expect(run("restore", copy, restored).status).toBe(0);
    const after = await serve(restored);
    const found = new Set<string>();
    for (let token = ""; ; ) {
      const request = { sessionId: "s", pageSize: 1_000, pageToken: token };
      const { messages, nextPageToken } = await after.client.call("listMessages", request);
      for (const { text } of messages) found.add(text);
      token = nextPageToken;
      if (token === "") break;
    }
    expect(before.filter((text) => !found.has(text))).toEqual([]);
    expect(found.size).toBe(Number(content?.messageCount));
    expect([...found].filter((text) => !acknowledged.includes(text))).toEqual([]);
    const events = { start: afterToken(resumeToken) };
    expect((await after.client.fail("listEvents", events)).reason).toBe("RESUME_TOKEN_FOREIGN");
    const page = await after.client.fail("listMessages", { ...PAGE, pageToken });
    expect(page.reason).toBe("PAGE_TOKEN_INVALID");
    await after.end();
  });

  test("is made on a schedule, and old ones are removed", async () => {
    const folder = await makeFolder();
    const backUps = join(folder, "back-ups");
    expect(run("serve", "--backup-dir", backUps)).toMatchObject({ status: 64 });
    mkdirSync(join(backUps, "20250101T000000000Z.partial"), { recursive: true });
    mkdirSync(join(backUps, "of-somebody-else"));
    const schedule = ["--backup-every-ms", "1", "--backup-keep", "2"];
    const { client, server, end } = await serve(
      join(folder, "live"),
      ...["--backup-dir", backUps, ...schedule],
    );
    await append(client, ["one"]);
    const isMade = ({ msg }: { msg?: unknown }) => msg === "the scheduled back-up is made";
    await expect
      .poll(() => server.logs.filter(isMade).length, { timeout: 60_000 })
      .toBeGreaterThanOrEqual(3);
    await end();
    const names = readdirSync(backUps).filter((entry) => !entry.startsWith("owner"));
    const complete = names.filter((name) => /^\d{8}T\d{9}Z$/.test(name));
    expect(names).toContain("of-somebody-else");
    expect(complete).toHaveLength(2);
    expect(names.length - complete.length).toBeLessThanOrEqual(2);
    expect(run("verify", join(backUps, complete[0] ?? "")).status).toBe(0);
  });

  test("can be taken by address, as bytes", async () => {
    const folder = await makeFolder();
    const { client, server, end } = await serve(join(folder, "live"));
    await append(client, ["one", "two"]);
    const copy = join(folder, "copy");
    const report = run("backup", server.address, copy);
    expect(report).toMatchObject({ status: 0 });
    expect(JSON.parse(report.stdout)).toMatchObject({ totals: { messages: 2 } });
    expect((await client.backUp({})).failure?.reason).toBe("BACK_UP_NOT_CONFIGURED");
    await end();
    const gone = run("backup", server.address, join(folder, "other"));
    expect(gone.status).toBe(70);
    expect(readdirSync(folder).sort()).toEqual(["copy", "live"]);
    const restored = join(folder, "restored");
    expect(run("restore", copy, restored).status).toBe(0);
    const after = await serve(restored);
    expect(await textsOf(after.client)).toEqual(["one", "two"]);
    await after.end();
  });
});

test("a back-up is taken by address over TLS with a token, and not without them", async () => {
  const folder = await makeFolder();
  makeCertificate(folder, "localhost");
  const cert = join(folder, "localhost.cert.pem");
  const tokens = join(folder, "tokens");
  const strangers = join(folder, "strangers");
  writeFileSync(tokens, `${"t".repeat(40)}\n`, { mode: 0o600 });
  writeFileSync(strangers, `${"s".repeat(40)}\n`, { mode: 0o600 });
  const secure = ["--tls-cert", cert, "--tls-key", join(folder, "localhost.key.pem")];
  const args = ["--token-file", tokens, ...secure];
  const server = await start({ dataDir: join(folder, "live"), args });
  const address = server.address.replace("127.0.0.1", "localhost");
  const trust = ["--tls-ca", cert];
  const refused = [["--token-file", tokens], [...trust, "--token-file", strangers], trust];
  for (const options of refused) {
    expect(run("backup", address, join(folder, "copy"), ...options).status).not.toBe(0);
    expect(existsSync(join(folder, "copy"))).toBe(false);
  }
  const made = run("backup", address, join(folder, "copy"), ...trust, "--token-file", tokens);
  expect(made, made.stderr).toMatchObject({ status: 0 });
  expect(run("restore", join(folder, "copy"), join(folder, "restored")).status).toBe(0);
  await server.stop();
});

describe("compaction", () => {
  test("shrinks the file, keeps every record and token, and removes erased bytes", async () => {
    const folder = await makeFolder();
    const kept = await makeStore(folder);
    const before = await serve(folder);
    const { resumeToken } = await before.client.call("listEvents", {});
    expect(run("compact", folder)).toMatchObject({ status: 73 });
    await before.end();
    const report = run("compact", folder);
    expect(report).toMatchObject({ status: 0 });
    const { bytesBefore, bytesAfter } = JSON.parse(report.stdout);
    expect(bytesAfter).toBeLessThan(bytesBefore / 2);
    const path = join(folder, "data.mdb");
    expect(statSync(path).size).toBe(bytesAfter);
    expect(holds(path, ERASED)).toBe(false);
    expect(existsSync(join(folder, "compacting"))).toBe(false);
    expect(run("verify", folder).status).toBe(0);
    const { client, end } = await serve(folder);
    expect(await textsOf(client)).toEqual(kept);
    await client.call("listEvents", { start: afterToken(resumeToken) });
    await append(client, ["after"]);
    await end();
    expect(run("verify", folder).status).toBe(0);
    expect(run("compact", join(folder, "missing"))).toMatchObject({ status: 70 });
  });
});
