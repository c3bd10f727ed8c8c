// The npm package of the server, installed into empty folders as users do, under each Node that npm
// still supports: it runs on a Node of its own.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect, preset } from "../../clients/typescript/src/index.ts";
import { nodePackages, packClient, packNode, packServer } from "../../tools/package/npm.ts";
import { pack } from "../../tools/package/registry-packages.ts";
import { run } from "../../tools/process.ts";
import { type Registry, serveRegistry } from "../support/install/registry.ts";
import { makeTempDir, type TempDir } from "../support/kit/temp-dir.ts";

const MINUTES = 60_000;
const NODE = `node-linux-${process.arch}`;
/** The newest Node of each older line, and the one that runs this test. */
const NODES = ["20.20.2", "22.23.3", process.versions.node];
const VERSION = "0.1.0";
/** Packages of other runtimes, which are one program each, with their exact versions. */
const BUN = `@oven/bun-linux-${process.arch === "arm64" ? "aarch64" : "x64"}`;
const DENO = `@deno/linux-${process.arch}-glibc`;
const RUNTIMES = [`${BUN}@1.4.5`, `${DENO}@2.9.6`];

let scratch: TempDir;
let registry: Registry;
const children = new Set<ChildProcess>();

/** A path with one Node, and without the one of this repository. */
function pathWith(...folders: readonly string[]): string {
  const system = (process.env["PATH"] ?? "").split(":");
  return [...folders, ...system.filter((part) => !part.includes("node_modules"))].join(":");
}

/** Variables of a program in an empty folder: nothing of this repository, npm's own cache. */
const environment = (path: string): Record<string, string> => ({
  PATH: path,
  npm_config_registry: registry.url,
  npm_config_cache: join(scratch.path, "cache"),
  npm_config_userconfig: join(scratch.path, "npmrc"),
  npm_config_update_notifier: "false",
});

const nodeFolder = (version: string): string => join(scratch.path, "nodes", version);

/** Puts a Node into a folder of its own; that of this process is linked. */
async function provideNode(version: string): Promise<void> {
  const folder = nodeFolder(version);
  mkdirSync(folder, { recursive: true });
  if (version === process.versions.node) {
    symlinkSync(process.execPath, join(folder, "node"));
    return;
  }
  const archive = await pack(folder, folder, `${NODE}@${version}`);
  const args = ["-xzf", archive, "--strip-components=2", "package/bin/node"];
  expect((await run("tar", args, { cwd: folder, quiet: true })).code).toBe(0);
  rmSync(archive);
}

function emptyFolder(name: string): string {
  const folder = join(scratch.path, name);
  mkdirSync(folder);
  return folder;
}

/** Runs a program with a path of its own; `run` of the tools would put this repository first. */
async function outputOf(command: string, args: readonly string[], cwd: string, path: string) {
  const env = { ...process.env, ...environment(path) };
  const child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const [code] = (await once(child, "close")) as [number | null];
  return { code, output };
}

async function install(folder: string, path: string, ...words: string[]): Promise<string> {
  const args = ["install", "--no-audit", "--no-fund", "memory-sidecar", ...words];
  const { code, output } = await outputOf("npm", args, folder, path);
  expect(code, output).toBe(0);
  return output;
}

/** Serves on a socket, stores a conversation that uses every optional part, and stops in order. */
async function converse(command: string, folder: string, path: string): Promise<void> {
  const address = `unix:${join(folder, "s.sock")}`;
  const child = spawn(command, ["serve", "--data-dir", "data", "--listen", address], {
    ...{ cwd: folder, env: environment(path), stdio: "ignore" },
  });
  children.add(child);
  const memory = connect(address);
  expect((await memory.serverInfo()).version).toBe(VERSION);
  const policy = preset("token_budget", { max_tokens: 900, token_rule: "o200k" });
  await memory.createSession({ sessionId: "trees", policy });
  const said = ["What is the tallest tree?", "Hyperion, a redwood.", "Where is it?"];
  const turn = await memory.append("trees", said, { window: true });
  expect(turn.window?.messages.length).toBe(3);
  const { hits } = await memory.recall("the tallest tree", { pageSize: 1 });
  expect(hits[0]?.passage).toContain("tallest");
  memory.close();
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([0, null]);
  const { code, output } = await outputOf(command, ["verify", "data"], folder, path);
  expect(code, output).toBe(0);
}

async function megabytes(path: string): Promise<number> {
  const { output } = await outputOf("du", ["-sm", path], scratch.path, pathWith());
  return Number.parseInt(output, 10);
}

beforeAll(async () => {
  scratch = await makeTempDir();
  const target = emptyFolder("packed");
  const own = nodePackages().filter(({ name }) => name === NODE);
  const archives = [await packServer(target, join(scratch.path, "stage"))];
  archives.push(await packClient(target));
  for (const node of own) archives.push(await packNode(node, target, join(scratch.path, "node")));
  registry = await serveRegistry(archives);
  for (const version of NODES) await provideNode(version);
}, 5 * MINUTES);

afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  await registry?.[Symbol.asyncDispose]();
  await scratch?.[Symbol.asyncDispose]();
});

describe.each(NODES)("npm under Node %s", (version) => {
  test(
    "installs a server that serves, verifies and stops",
    async () => {
      const folder = emptyFolder(`installed-${version}`);
      const path = pathWith(nodeFolder(version));
      expect((await outputOf("node", ["--version"], folder, path)).output).toBe(`v${version}\n`);
      expect(await install(folder, path)).not.toMatch(/install-scripts|EBADENGINE/);
      await converse(join(folder, "node_modules/.bin/memory-sidecar"), folder, path);
    },
    5 * MINUTES,
  );
});

describe("the client", () => {
  const project = () => join(scratch.path, "runtimes");
  const address = () => `unix:${join(project(), "s.sock")}`;
  const PROGRAM = `
    import { connect } from "@memory-sidecar/client";
    const [address, sessionId] = process.argv.slice(2);
    const memory = connect(address);
    await memory.createSession({ sessionId });
    const { window } = await memory.append(sessionId, ["Hyperion.", "A redwood."], { window: true });
    const { hits } = await memory.recall("a redwood", { pageSize: 1 });
    for await (const { event } of memory.watch({ from: "oldest", filter: { sessionId } })) {
      if (event.detail.$case === "messagesAppended") break;
    }
    const { reason } = await memory.getSession("none").catch((error) => error);
    console.log(window.messages.length, hits[0].passage, reason);
    memory.close();`;
  let server: ChildProcess;

  beforeAll(async () => {
    const folder = emptyFolder("runtimes");
    const path = pathWith(nodeFolder(process.versions.node));
    await install(folder, path, "@memory-sidecar/client", ...RUNTIMES, "--ignore-scripts");
    writeFileSync(join(folder, "program.mjs"), PROGRAM);
    const command = join(folder, "node_modules/.bin/memory-sidecar");
    const args = ["serve", "--data-dir", "data", "--listen", address()];
    server = spawn(command, args, { cwd: folder, env: environment(path), stdio: "ignore" });
    children.add(server);
    const memory = connect(address());
    await memory.serverInfo();
    memory.close();
  }, 5 * MINUTES);

  afterAll(() => server.kill());

  const runtimes: readonly { name: string; command: () => string; options: string[] }[] = [
    ...NODES.map((version) => ({
      ...{ name: `Node ${version}`, command: () => join(nodeFolder(version), "node"), options: [] },
    })),
    {
      name: "Bun",
      command: () => join(project(), "node_modules", BUN, "bin/bun"),
      options: ["run"],
    },
    {
      name: "Deno",
      command: () => join(project(), "node_modules", DENO, "deno"),
      options: ["run", "--allow-all"],
    },
  ];
  test.each(runtimes)("works under $name", async ({ name, command, options }) => {
    const args = [...options, "program.mjs", address(), name.replace(" ", "-")];
    expect(await outputOf(command(), args, project(), pathWith())).toEqual({
      ...{ code: 0, output: "2 A redwood. SESSION_NOT_FOUND\n" },
    });
  });
});

describe("the installed package", () => {
  const folder = () => join(scratch.path, `installed-${process.versions.node}`);
  const command = () => join(folder(), "node_modules/.bin/memory-sidecar");
  const binary = () => join("node_modules/@memory-sidecar", NODE, "bin/node");

  test("takes less than 60 MB beside Node", async () => {
    const node = await megabytes(join(folder(), binary()));
    const all = await megabytes(join(folder(), "node_modules"));
    expect(all - node).toBeLessThan(60);
    expect(node).toBeGreaterThan(60);
  });

  test("brings no install script, and no command that takes the place of another", () => {
    const manifests = globSync("node_modules/**/package.json", { cwd: folder() });
    expect(manifests.length).toBeGreaterThan(50);
    for (const path of manifests) {
      const { scripts = {} } = JSON.parse(readFileSync(join(folder(), path), "utf8")) as {
        scripts?: Record<string, string>;
      };
      expect(Object.keys(scripts).join(), path).not.toMatch(/install|prepare/);
    }
    expect(globSync("*", { cwd: join(folder(), "node_modules/.bin") })).toEqual(["memory-sidecar"]);
  });

  test(
    "runs from npx without an installation, with the exit codes of the server",
    async () => {
      const empty = emptyFolder("npx");
      const path = pathWith(nodeFolder("20.20.2"));
      const npx = (...args: string[]) =>
        outputOf("npx", ["--yes", "memory-sidecar", ...args], empty, path);
      expect(await npx("version")).toEqual({ code: 0, output: `${VERSION}\n` });
      expect((await npx("sing")).code).toBe(64);
    },
    MINUTES,
  );

  test(
    "needs no Node in the path, also when it is installed for all",
    async () => {
      const prefix = emptyFolder("global");
      await install(prefix, pathWith(nodeFolder("22.23.3")), "--global", `--prefix=${prefix}`);
      const bare = emptyFolder("no-node");
      for (const tool of ["readlink", "dirname", "sh"]) {
        const { output } = await outputOf("which", [tool], bare, pathWith());
        symlinkSync(output.trim(), join(bare, tool));
      }
      const global = join(prefix, "bin/memory-sidecar");
      expect(await outputOf(global, ["version"], bare, bare)).toEqual({
        ...{ code: 0, output: `${VERSION}\n` },
      });
    },
    MINUTES,
  );

  test(
    "is the server that LocalServer of the client finds",
    async () => {
      const project = emptyFolder("client");
      const path = pathWith(nodeFolder("20.20.2"));
      await install(project, path, "@memory-sidecar/client");
      const program = `
        import { connect, LocalServer } from "@memory-sidecar/client";
        const server = await LocalServer.start();
        const memory = connect(server.address);
        const { window } = await memory.append("trees", "Hyperion.", { createSession: true, window: true });
        console.log(process.version, window.messages[0].text);
        memory.close();
        await server.close();`;
      const args = ["--input-type=module", "--eval", program];
      expect(await outputOf("node", args, project, path)).toEqual({
        ...{ code: 0, output: "v20.20.2 Hyperion.\n" },
      });
    },
    MINUTES,
  );

  test("takes the Node of the path where none is installed, if it is new enough", async () => {
    rmSync(join(folder(), dirname(dirname(binary()))), { recursive: true });
    expect(existsSync(join(folder(), binary()))).toBe(false);
    const old = await outputOf(command(), ["version"], folder(), pathWith(nodeFolder("22.23.3")));
    expect(old.code).toBe(70);
    expect(old.output).toContain("needs Node 24 or later");
    const fresh = pathWith(nodeFolder(process.versions.node));
    expect((await outputOf(command(), ["version"], folder(), fresh)).output).toBe(`${VERSION}\n`);
  });
});
