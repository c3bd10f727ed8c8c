// The image, without a container engine: every step of the Dockerfile is done in clean folders with
// the same COPY rules, and the result is started as another user with nothing but Node and itself.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeCertificate } from "../support/kit/certificate.ts";
import { reservedPort } from "../support/kit/port.ts";
import {
  type Build,
  buildStage,
  copyContext,
  parseDockerfile,
  type Result,
  type Stage,
} from "../support/process/dockerfile.ts";

const ROOT = join(import.meta.dirname, "../..");
const NOBODY = 65_534;
const STARTED_MS = 20_000;

const stages = parseDockerfile(readFileSync(join(ROOT, "Dockerfile"), "utf8"));
const [buildStageOf, finalStage] = stages as [Stage, Stage];
let scratch = "";
let build: Build;
let image: Result;
const children: ChildProcess[] = [];
const sealed = new Set<string>();
/** Variables that a user gives the container. */
let settings: Readonly<Record<string, string>> = {};

/** The command that docker would run, as an array of words. */
function exec(text: string): string[] {
  return JSON.parse(text.slice(text.indexOf("["))) as string[];
}

/** Environment of a container of the image: its own variables, and Node in the path. */
function containerOptions({ root, workdir, env }: Result, port: number) {
  const mapped = { ...env, ...settings, MEMORY_SIDECAR_DATA_DIR: join(root, "data") };
  return {
    cwd: workdir,
    env: { PATH: join(scratch, "bin"), ...mapped, MEMORY_SIDECAR_LISTEN: `127.0.0.1:${port}` },
    // As another user, where this one may do that, to whom everything but /data is read-only.
    ...(process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}),
  };
}

async function start(result: Result, port: number): Promise<ChildProcess> {
  const [command = "", ...args] = exec(result.settings.get("ENTRYPOINT") ?? "");
  const data = join(result.root, "data");
  if (existsSync(data) && process.getuid?.() === 0) chownSync(data, NOBODY, NOBODY);
  // If this user may not become another one, the root is closed at least.
  chmodSync(result.root, 0o555);
  sealed.add(result.root);
  const child = spawn(command, args, { ...containerOptions(result, port), stdio: "ignore" });
  children.push(child);
  await Promise.race([once(child, "spawn"), once(child, "error")]);
  return child;
}

/** Runs the health check until it passes; false when the server ended or never answered. */
async function becomesHealthy(result: Result, child: ChildProcess, port: number): Promise<boolean> {
  const [command = "", ...args] = exec(result.settings.get("HEALTHCHECK") ?? "");
  for (const until = Date.now() + STARTED_MS; Date.now() < until; await sleep(100)) {
    if (child.exitCode !== null || child.pid === undefined) return false;
    const probe = spawn(command, args, { ...containerOptions(result, port), stdio: "ignore" });
    const [code] = await once(probe, "exit");
    if (code === 0) return true;
  }
  return false;
}

function makeContext(): void {
  const ignore = readFileSync(join(ROOT, ".dockerignore"), "utf8");
  copyContext(ROOT, ignore, build.context);
  mkdirSync(join(scratch, "bin"));
  copyFileSync(process.execPath, join(scratch, "bin/node"));
}

beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), "memory-sidecar-image-"));
  chmodSync(scratch, 0o755);
  const tools = `${join(scratch, "bin")}:${process.env["PATH"] ?? ""}`;
  const withoutLocal = tools.split(":").filter((part) => !part.includes("node_modules"));
  build = {
    context: join(scratch, "context"),
    stages: new Map(),
    env: {
      PATH: withoutLocal.join(":"),
      HOME: process.env["HOME"] ?? scratch,
      // The packages are in npm's cache since `npm ci` of the repository.
      npm_config_prefer_offline: "true",
    },
  };
  makeContext();
  buildStage(buildStageOf, join(scratch, "build"), build);
  image = buildStage(finalStage, join(scratch, "image"), build);
}, 300_000);

afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
  for (const root of sealed) chmodSync(root, 0o755);
  rmSync(scratch, { recursive: true, force: true });
});

describe("the image", () => {
  test("is made from Node 24 slim in two stages and runs as a user without rights", () => {
    expect(stages.map(({ base }) => base)).toEqual(["node:24-slim", "node:24-slim"]);
    expect(image.settings.get("USER")).toBe("node");
    expect(image.settings.get("VOLUME")).toBe("/data");
    expect(image.settings.get("EXPOSE")).toBe("50151");
    expect(image.env["UV_THREADPOOL_SIZE"]).toBe("16");
    expect(image.env["MALLOC_ARENA_MAX"]).toBe("1");
  });

  test("holds the engine's binary, and no tool, no test and no second Node", () => {
    const modules = readdirSync(join(image.workdir, "node_modules"));
    const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
      readonly dependencies: Readonly<Record<string, string>>;
      readonly devDependencies: Readonly<Record<string, string>>;
    };
    for (const name of Object.keys(manifest.dependencies)) {
      expect(existsSync(join(image.workdir, "node_modules", name)), name).toBe(true);
    }
    // Types come along with protobufjs.
    const tools = Object.keys(manifest.devDependencies).filter((name) => !/^@types\//.test(name));
    for (const name of tools) {
      expect(existsSync(join(image.workdir, "node_modules", name)), name).toBe(false);
    }
    expect(modules.filter((name) => name.startsWith("node-linux"))).toEqual([]);
    const engines = readdirSync(join(image.workdir, "node_modules/@lmdb"));
    expect(engines).toContain(`lmdb-linux-${process.arch}`);
    const built = execFileSync("find", [image.workdir, "-name", "*.test.*"], { encoding: "utf8" });
    expect(built.split("\n").filter((path) => path.includes("/dist/"))).toEqual([]);
    expect(readdirSync(image.workdir).sort()).toEqual([
      "LICENSE",
      "dist",
      "node_modules",
      "package.json",
      "proto",
    ]);
  });

  test("serves, passes its health check and stops in order", async () => {
    const port = await reservedPort();
    const child = await start(image, port);
    expect(await becomesHealthy(image, child, port)).toBe(true);
    expect(readdirSync(join(image.root, "data")).length).toBeGreaterThan(0);
    const exited = once(child, "exit");
    child.kill("SIGTERM");
    expect(await exited).toEqual([0, null]);
  });

  test("passes its health check with TLS", async () => {
    makeCertificate(scratch, "memory.test");
    const [key, cert] = ["key", "cert"].map((part) => join(scratch, `memory.test.${part}.pem`));
    if (process.getuid?.() === 0) chownSync(key ?? "", NOBODY, NOBODY);
    settings = { MEMORY_SIDECAR_TLS_KEY: key ?? "", MEMORY_SIDECAR_TLS_CERT: cert ?? "" };
    const port = await reservedPort();
    const child = await start(image, port);
    expect(await becomesHealthy(image, child, port)).toBe(true);
    settings = {};
    child.kill("SIGTERM");
    await once(child, "exit");
  });

  test("is not healthy when nothing serves", async () => {
    const [command = "", ...args] = exec(image.settings.get("HEALTHCHECK") ?? "");
    const options = containerOptions(image, await reservedPort());
    const [code] = await once(spawn(command, args, { ...options, stdio: "ignore" }), "exit");
    expect(code).toBe(1);
  });

  // Shows that the test above would notice a forgotten COPY.
  const copies = finalStage.instructions.filter(
    ({ name, text }) => name === "COPY" && !text.startsWith("LICENSE"),
  );
  test.each(copies.map((copy) => [copy.text, copy] as const))(
    "does not serve without COPY %s",
    async (text, copy) => {
      const instructions = finalStage.instructions.filter((other) => other !== copy);
      const root = join(scratch, `less-${copies.indexOf(copy)}`);
      const less = buildStage({ ...finalStage, instructions }, root, { ...build });
      const port = await reservedPort();
      const child = await start(less, port);
      expect(await becomesHealthy(less, child, port), text).toBe(false);
      child.kill("SIGKILL");
    },
  );
});
