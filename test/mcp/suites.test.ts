// Judges that others wrote: the conformance suite of the protocol, and the command line of its
// inspector.

import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeTempDir } from "../support/kit/temp-dir.ts";
import { installPeers, PEERS } from "../support/mcp/peers.ts";
import { SERVER_MAIN, startServer } from "../support/process/server.ts";

/** The scenarios that we pass. */
const PASSED = [
  ...["server-initialize", "ping", "tools-list", "resources-list", "prompts-list"],
  "dns-rebinding-protection",
];

const OF_TEST_SERVER = "calls a tool, resource or prompt that only the suite's own server has";
const WITHOUT_STREAMS = "needs sessions of the protocol; each request stands by itself here";
const NOT_OFFERED = "a server may offer it, and there is nothing here that it is for";

/** The other scenarios, with the reason why they do not apply. */
const NOT_APPLICABLE: Readonly<Record<string, string>> = {
  "logging-set-level": NOT_OFFERED,
  "completion-complete": NOT_OFFERED,
  "tools-call-simple-text": OF_TEST_SERVER,
  "tools-call-image": OF_TEST_SERVER,
  "tools-call-audio": OF_TEST_SERVER,
  "tools-call-embedded-resource": OF_TEST_SERVER,
  "tools-call-mixed-content": OF_TEST_SERVER,
  "tools-call-with-logging": OF_TEST_SERVER,
  "tools-call-error": OF_TEST_SERVER,
  "tools-call-with-progress": OF_TEST_SERVER,
  "tools-call-sampling": OF_TEST_SERVER,
  "tools-call-elicitation": OF_TEST_SERVER,
  "json-schema-2020-12": OF_TEST_SERVER,
  "elicitation-sep1034-defaults": OF_TEST_SERVER,
  "elicitation-sep1330-enums": OF_TEST_SERVER,
  "server-sse-polling": WITHOUT_STREAMS,
  "server-sse-multiple-streams": WITHOUT_STREAMS,
  "resources-read-text": OF_TEST_SERVER,
  "resources-read-binary": OF_TEST_SERVER,
  "resources-templates-read": OF_TEST_SERVER,
  "resources-subscribe": NOT_OFFERED,
  "resources-unsubscribe": NOT_OFFERED,
  "prompts-get-simple": OF_TEST_SERVER,
  "prompts-get-with-args": OF_TEST_SERVER,
  "prompts-get-embedded-resource": OF_TEST_SERVER,
  "prompts-get-with-image": OF_TEST_SERVER,
};

const run = promisify(execFile);
let address = "";
let url = "";
let folder = "";
let stop: () => Promise<void> = async () => {};

beforeAll(async () => {
  installPeers();
  const directory = await makeTempDir();
  folder = directory.path;
  const args = ["--http-listen", "127.0.0.1:0"];
  const server = await startServer({ dataDir: join(folder, "data"), args });
  address = server.address;
  url = String(server.logs.find(({ msg }) => msg === "serving")?.["http"]);
  stop = async () => {
    await server.kill();
    await directory[Symbol.asyncDispose]();
  };
}, 180_000);

afterAll(() => stop());

/** Runs a program of the packages; gives its exit code and what it printed. */
async function program(name: string, ...args: readonly string[]) {
  const file = join(PEERS, "node_modules/.bin", name);
  const env = { ...process.env, HOME: folder, MEMORY_SIDECAR_MCP_SERVER: address };
  try {
    const { stdout, stderr } = await run(process.execPath, [file, ...args], { cwd: folder, env });
    return { code: 0, stdout, stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, stdout, stderr };
  }
}

test("passes every scenario of the conformance suite that applies", async () => {
  const output = ["-o", join(folder, "results")];
  const { stdout } = await program(
    "conformance",
    "server",
    "--url",
    url,
    "--suite",
    "all",
    ...output,
  );
  const lines = [...stdout.matchAll(/^. ([\w-]+): (\d+) passed, (\d+) failed$/gm)];
  const scenarios = lines.map(([, name = ""]) => name);
  expect(scenarios.sort()).toEqual([...PASSED, ...Object.keys(NOT_APPLICABLE)].sort());
  const passed = lines.filter(([, , good, bad]) => Number(good) > 0 && Number(bad) === 0);
  expect(passed.map(([, name = ""]) => name).sort()).toEqual([...PASSED].sort());
});

test("satisfies the inspector, which checks that all models can use the schemas", async () => {
  const server = "MEMORY_SIDECAR_MCP_SERVER";
  const overStdio = (...flags: readonly string[]) => [
    ...["--cli", "-e", `${server}=${address}`, ...flags],
    ...[process.execPath, SERVER_MAIN, "mcp"],
  ];
  const strict = ["--method", "tools/list", "--strict"];
  const listed = await program("mcp-inspector", ...overStdio(...strict));
  expect([listed.code, listed.stderr]).toEqual([0, ""]);
  expect(JSON.parse(listed.stdout).tools.length).toBe(8);
  const call = ["--method", "tools/call", "--tool-name", "remember"];
  const overHttp = ["--cli", url, "--transport", "http"];
  const made = await program("mcp-inspector", ...overHttp, ...call, "--tool-arg", "content=Seen.");
  expect([made.code, made.stdout]).toEqual([0, expect.stringContaining("created")]);
  const reference = await program("mcp-inspector", ...overStdio(...strict), "--reference-memory");
  expect(reference.code, reference.stderr).toBe(0);
  expect(JSON.parse(reference.stdout).tools.length).toBe(9);
});
