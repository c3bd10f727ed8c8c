// The code blocks of README.md and docs run as they are written. docs/contributing.md describes the
// comments that say which and how. The READMEs of the clients are run by the clients' own tests.

import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { reservedPort } from "../support/kit/port.ts";
import { type RunningServer, startServer } from "../support/process/server.ts";
import { readProject } from "../support/tidy/project.ts";
import { type Block, blocksOf } from "./blocks.ts";

const ROOT = join(import.meta.dirname, "../..");
const PYTHON = join(ROOT, "clients/python/.venv/bin/python");
/** Written when the environment of the Python client is complete. */
const STAMP = join(ROOT, "clients/python/.venv/stamp");
const CLIENT = join(ROOT, "clients/typescript/src/index.ts");
const ADDRESS = "127.0.0.1:50151";

const documents = [
  "README.md",
  ...globSync(["docs/*.md", "docs/compat/*.md", "docs/integrations/mcp.md"], { cwd: ROOT }).sort(),
];
const blocks = documents
  .filter((path) => existsSync(join(ROOT, path)))
  .flatMap((path) => blocksOf(path, readFileSync(join(ROOT, path), "utf8")));
const runnable = blocks.filter(({ mark }) => mark === "run" || mark === "run with server");

const needsPython = ({ language, code }: Block): boolean => {
  return language === "python" || code.includes("python3 ");
};

// With CI=true the blocks run all the same and fail.
const lacksPython = !existsSync(STAMP) && process.env["CI"] !== "true";
if (lacksPython) {
  const count = runnable.filter(needsPython).length;
  console.warn(`SKIPPED ${count} document blocks: clients/python/setup.sh has not run`);
}

/** The code with a reserved port in place of each port that it names: anybody may hold those. */
async function withOwnPorts(code: string): Promise<string> {
  let own = code;
  for (const port of new Set(code.match(/\b50[12]\d\d\b/g))) {
    own = own.replaceAll(port, `${await reservedPort()}`);
  }
  return own;
}

/** The program and the file that run a block. */
function prepare(block: Block, code: string, folder: string): [string, string[]] {
  if (block.language === "sh") {
    // A program, not a function: a signal for the job then reaches the server itself.
    const server = `#!/bin/sh\nexec node ${JSON.stringify(join(ROOT, "src/main.ts"))} "$@"\n`;
    writeFileSync(join(folder, "memory-sidecar"), server, { mode: 0o755 });
    symlinkSync(join(ROOT, "examples"), join(folder, "examples"));
    writeFileSync(join(folder, "block.sh"), `set -euo pipefail\n${code}`);
    return ["bash", ["block.sh"]];
  }
  if (block.language === "ts") {
    const own = code.replaceAll('"@memory-sidecar/client"', JSON.stringify(CLIENT));
    writeFileSync(join(folder, "block.mts"), own);
    return [process.execPath, ["block.mts"]];
  }
  writeFileSync(join(folder, "block.py"), code);
  return [PYTHON, ["block.py"]];
}

async function runBlock(block: Block, address: string): Promise<void> {
  const code =
    block.mark === "run" ? await withOwnPorts(block.code) : block.code.replaceAll(ADDRESS, address);
  const folder = mkdtempSync(join(tmpdir(), "memory-sidecar-block-"));
  try {
    const [command, args] = prepare(block, code, folder);
    const tools = [folder, join(ROOT, "node_modules/.bin"), dirname(PYTHON)];
    const path = [...tools, process.env["PATH"] ?? ""].join(delimiter);
    const child = spawn(command, args, { cwd: folder, env: { ...process.env, PATH: path } });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk: Buffer) => {
        output += chunk.toString();
      });
    }
    const [status] = await once(child, "close");
    expect(status, output).toBe(0);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe("code blocks of the documents", () => {
  let server: RunningServer | undefined;
  let data = "";

  beforeAll(async () => {
    if (!runnable.some(({ mark }) => mark === "run with server")) return;
    data = mkdtempSync(join(tmpdir(), "memory-sidecar-docs-"));
    server = await startServer({ dataDir: data });
  });

  afterAll(async () => {
    await server?.stop();
    if (data !== "") rmSync(data, { recursive: true, force: true });
  });

  test("all say whether they are run", () => {
    const silent = blocks.filter(({ mark }) => mark === "none").map(({ place }) => place);
    expect(silent, "put one of the comments of docs/contributing.md before them").toEqual([]);
  });

  for (const block of runnable) {
    test.skipIf(lacksPython && needsPython(block))(`run: ${block.place}`, async () => {
      await runBlock(block, server?.address ?? "");
    });
  }
});

describe("links of the documents", () => {
  // Folders that git ignores, such as the environments of a bench, hold documents of others.
  const readmes = [...readProject(ROOT).keys()].filter((path) =>
    /^(clients|bench|examples)\/.*README\.md$/.test(path),
  );

  test.each([...documents, ...readmes])("lead somewhere: %s", (path) => {
    const text = readFileSync(join(ROOT, path), "utf8");
    const dead = [...text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)]
      .map(([, target]) => target ?? "")
      .filter((target) => !existsSync(join(ROOT, dirname(path), target)));
    expect(dead).toEqual([]);
  });
});

describe("the reader of blocks", () => {
  const one = (text: string): Block | undefined => blocksOf("a.md", text)[0];

  test("takes the comment before a block, and only that", () => {
    expect(one("<!-- run -->\n\n```bash\nls\n```\n")).toEqual({
      place: "a.md:3",
      language: "sh",
      code: "ls\n",
      mark: "run",
    });
    expect(one("<!-- run with server -->\n```ts\nx\n```\n")?.mark).toBe("run with server");
    expect(one("<!-- run -->\n\nText.\n\n```python\nx\n```\n")?.mark).toBe("none");
    expect(one("<!-- run -->\n```text\nx\n```\n\n```sh\ny\n```\n")?.mark).toBe("none");
  });

  test("takes no excuse without a reason", () => {
    expect(one("<!-- not run: needs docker -->\n```sh\nx\n```\n")?.mark).toBe("not run");
    expect(one("<!-- not run -->\n```sh\nx\n```\n")?.mark).toBe("none");
  });
});
