// The TypeScript client as a package in the folder of a program: it finds the LangChain that is
// installed beside it by itself, and says what to do when there is none.

import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ROOT } from "../../tools/process.ts";
import { build } from "../languages/build.ts";
import { installSdks, SDKS } from "../support/forms/sdks.ts";
import { makeTempDir, type TempDir } from "../support/kit/temp-dir.ts";
import { type RunningServer, startServer } from "../support/process/server.ts";

const run = promisify(execFile);
const PACKAGE = join(ROOT, "clients/typescript");

let directory: TempDir;
let server: RunningServer;
let folder: string;

beforeAll(async () => {
  installSdks();
  await build(process.execPath, ["tools/build.ts", "client"]);
  directory = await makeTempDir();
  server = await startServer({ dataDir: directory.path });
  // Inside the repository, so that the package finds what it depends on.
  folder = mkdtempSync(join(ROOT, "node_modules/.langchain-test-"));
}, 300_000);

afterAll(async () => {
  if (folder !== undefined) rmSync(folder, { recursive: true });
  await server?.stop();
  await directory?.[Symbol.asyncDispose]();
});

/** Runs a program in a new folder that has the package, with LangChain beside it or without. */
async function output(name: string, hasLangChain: boolean, program: string): Promise<string> {
  const modules = join(folder, name, "node_modules");
  const installed = join(modules, "@memory-sidecar/client");
  for (const part of ["dist", "package.json"]) {
    cpSync(join(PACKAGE, part), join(installed, part), { recursive: true });
  }
  if (hasLangChain) {
    mkdirSync(join(modules, "@langchain"));
    const core = "node_modules/@langchain/core";
    symlinkSync(join(SDKS, core), join(modules, "@langchain/core"));
  }
  const source = `
    import { connect, renderedIn } from "@memory-sidecar/client";
    const client = connect(${JSON.stringify(server.address)});
    const form = { form: "langchain" };
    const options = { ...form, createSession: true };
    ${program}
    client.close();
  `;
  const args = ["--input-type=module", "--eval", source];
  const { stdout } = await run(process.execPath, args, { cwd: join(folder, name) });
  return stdout;
}

test.each([
  ["a window", 'const { messages } = await client.window("a", form);'],
  [
    "a log",
    `const messages = [];
    for await (const one of client.listMessages("a", form)) messages.push(one);`,
  ],
  [
    "a prompt",
    'const { messages } = await client.assembleContext({ sessionId: "a", form: "langchain" });',
  ],
])("a program with LangChain reads its messages from %s", async (name, read) => {
  const program = `
    const { HumanMessage } = await import("@langchain/core/messages");
    await client.resetSession("a").catch(() => undefined);
    await client.append("a", new HumanMessage("Where to?"), options);
    ${read}
    console.log(messages.map((one) => [one instanceof HumanMessage, one.content]));
  `;
  expect(await output(name, true, program)).toBe("[ [ true, 'Where to?' ] ]\n");
});

test("a program with LangChain reads its messages from the answer of an append", async () => {
  const program = `
    const { HumanMessage } = await import("@langchain/core/messages");
    const window = { form: "langchain" };
    const said = new HumanMessage("Where to?");
    const answer = await client.append("b", said, { ...options, window });
    const { messages } = renderedIn(answer.window, "langchain");
    console.log(messages[0] instanceof HumanMessage);
  `;
  expect(await output("append", true, program)).toBe("true\n");
});

test("a program without LangChain hears what to install, and sends nothing", async () => {
  const program = `
    const window = { form: "langchain" };
    const calls = [
      () => client.append("c", "Hello.", { createSession: true, window }),
      () => client.window("c", form),
      () => client.listMessages("c", form).next(),
    ];
    for (const call of calls) await call().catch((error) => console.log(String(error)));
    console.log(await client.getSession("c").catch(({ reason }) => reason));
  `;
  const lines = (await output("none", false, program)).trim().split("\n");
  const error =
    'TypeError: form "langchain" needs the package @langchain/core: install it, or name it with ' +
    'useLangChain(await import("@langchain/core/messages"))';
  expect(lines).toEqual([error, error, error, "SESSION_NOT_FOUND"]);
});
