// The command line: what it prints and with which code it ends.

import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { TestClient } from "../support/contract/client.ts";
import { message } from "../support/contract/samples.ts";
import { afterToken } from "../support/contract/watch.ts";
import { makeTempDir } from "../support/kit/temp-dir.ts";
import { startServer } from "../support/process/server.ts";

const ROOT = join(import.meta.dirname, "../..");

function run(...args: readonly string[]) {
  const main = join(ROOT, "src/main.ts");
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], {
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

test("version gives the version of the package", () => {
  const text = readFileSync(join(ROOT, "package.json"), "utf8");
  const { version } = JSON.parse(text) as { version: string };
  expect(run("version")).toEqual({ status: 0, stdout: `${version}\n`, stderr: "" });
});

test("help names every command, flag and exit code", () => {
  const { status, stdout } = run("help");
  expect(status).toBe(0);
  for (const word of [
    "serve",
    "verify DIR",
    "prove-erased DIR --words FILE",
    "backup DIR BACKUP",
    "restore BACKUP DIR",
    "compact DIR",
    "new-history DIR",
    "mcp [FLAGS]",
    "config",
    "health",
    "--data-dir",
    "--listen",
  ]) {
    expect(stdout).toContain(word);
  }
  for (const code of ["0 ", "1 ", "64", "70", "73"]) expect(stdout).toContain(`\n  ${code}`);
});

test("a command line that is wrong ends with 64 and says all of it", () => {
  expect(run()).toMatchObject({ status: 64 });
  expect(run("server").stderr).toContain('"server" is not a command');
  const { status, stderr } = run("serve", "--data-dri", "x", "--max-streams", "none");
  expect(status).toBe(64);
  expect(stderr).toContain("did you mean --data-dir?");
  expect(stderr).toContain("--max-streams must be a whole number");
  expect(run("verify")).toMatchObject({ status: 64 });
  expect(run("new-history")).toMatchObject({ status: 64 });
  expect(run("prove-erased", ROOT).stderr).toContain("needs one DIR and --words FILE");
  expect(run("prove-erased", ROOT, "--words", join(ROOT, "missing"))).toMatchObject({ status: 64 });
});

test("what the configuration names and is not there ends with 64", async () => {
  await using directory = await makeTempDir();
  const base = ["serve", "--data-dir", directory.path];
  const missing = join(directory.path, "missing");
  const tokens = run(...base, "--listen", "127.0.0.1:0", "--token-file", missing);
  expect(tokens.status).toBe(64);
  expect(tokens.stderr).toContain(`The token file ${missing} cannot be used`);
  const tls = run(...base, "--listen", "127.0.0.1:0", "--tls-cert", missing, "--tls-key", missing);
  expect(tls.status).toBe(64);
  expect(tls.stderr).toContain("The certificate or its key cannot be used");
  writeFileSync(missing, "no PEM");
  const broken = run(
    ...base,
    "--listen",
    "127.0.0.1:0",
    "--tls-cert",
    missing,
    "--tls-key",
    missing,
  );
  expect(broken.status).toBe(64);
  const socket = run(...base, "--listen", `unix:${directory.path}`);
  expect(socket.status).toBe(64);
  expect(socket.stderr).toContain("is not a socket");
});

test("a hooks file that is wrong ends with 64, and no secret in it is told", async () => {
  await using directory = await makeTempDir();
  const file = join(directory.path, "hooks.json");
  const bad = { kind: "openai", url: "http://u:canary@h/", api_key: "canary", model: "m" };
  writeFileSync(file, JSON.stringify({ hooks: { bad } }));
  for (const command of ["serve", "config"]) {
    const { status, stdout, stderr } = run(command, "--hooks-file", file, "--data-dir", "/nowhere");
    expect(status).toBe(64);
    expect(stderr).toContain("hooks.bad.url must not hold a user or a password");
    expect(stderr).toContain('hooks.bad has no field "api_key"');
    expect(stdout + stderr).not.toContain("canary");
  }
});

test("config prints what serve would use, as a file that can be read again", () => {
  const { status, stdout } = run("config", "--data-dir", "/var/data", "--max-handlers", "9");
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ data_dir: "/var/data", max_handlers: 9 });
});

test("health and verify tell a server that serves from one that does not", async () => {
  await using directory = await makeTempDir();
  const server = await startServer({ dataDir: directory.path });
  expect(run("health", server.address)).toEqual({ status: 0, stdout: "", stderr: "" });
  expect(run("verify", directory.path).status).toBe(73);
  expect(await server.stop()).toEqual({ code: 0, signal: null });
  expect(run("health", server.address).status).toBe(1);
  const { status, stdout } = run("verify", directory.path);
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ clean: true, problems: [] });
});

test("new-history makes a copy refuse what the original gave out after it was taken", async () => {
  await using directory = await makeTempDir();
  const [original, copy] = ["original", "copy"].map((name) => join(directory.path, name));
  if (original === undefined || copy === undefined) throw new Error("no directory");
  expect(run("new-history", original)).toMatchObject({ status: 64 });
  expect(existsSync(original)).toBe(false);
  const say = { sessionId: "s", createSession: true, messages: [message({ text: "a" })] };
  {
    await using server = await serving(original);
    await server.client.call("appendMessages", say);
  }
  cpSync(original, copy, { recursive: true });
  let token: string;
  {
    await using server = await serving(original);
    await server.client.call("appendMessages", say);
    token = (await server.client.call("listEvents", {})).resumeToken;
    expect(run("new-history", original).status).toBe(73);
  }
  const { status, stdout } = run("new-history", copy);
  expect(status).toBe(0);
  expect(stdout).toMatch(/^[0-9a-f]{16}\n$/);

  await using server = await serving(copy);
  const { client } = server;
  // Past the revision of the token: by its number alone it would be one of the copy.
  for (let change = 0; change < 3; change++) await client.call("appendMessages", say);
  const start = afterToken(token);
  expect((await client.fail("listEvents", { start })).reason).toBe("RESUME_TOKEN_FOREIGN");
  const { resumeToken } = await client.call("listEvents", { pageSize: 1 });
  const { events } = await client.call("listEvents", { start: afterToken(resumeToken) });
  expect(events).toHaveLength(4);
});

/** A server process with a client. */
async function serving(dataDir: string) {
  const server = await startServer({ dataDir });
  const client = new TestClient(server.address);
  return {
    client,
    [Symbol.asyncDispose]: async () => {
      client.close();
      await server.stop();
    },
  };
}

test("a second signal does not wait for the first", async () => {
  await using directory = await makeTempDir();
  const args = ["--shutdown-grace-ms", "60000"];
  const server = await startServer({ dataDir: directory.path, args });
  process.kill(server.pid, "SIGINT");
  expect(await server.kill("SIGTERM")).toEqual({ code: 0, signal: null });
});

test("prove-erased finds what a server has written, and nothing else", async () => {
  await using directory = await makeTempDir();
  await using list = await makeTempDir();
  const dataDir = directory.path;
  {
    await using server = await serving(dataDir);
    const messages = [message({ text: "quetzalcoatlus" })];
    await server.client.call("appendMessages", { sessionId: "s", createSession: true, messages });
  }
  const words = join(list.path, "words");
  writeFileSync(words, "pterodactylus\n");
  expect(run("prove-erased", dataDir, "--words", words)).toMatchObject({ status: 0 });
  writeFileSync(words, "pterodactylus\nquetzalcoatlus\n");
  const { status, stdout } = run("prove-erased", dataDir, "--words", words);
  expect(status).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    erased: false,
    found: [{ line: 2, file: "data.mdb" }],
  });
});
