// The demo as a user runs it: a process of its own, on a fresh store.

import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readConversation } from "../../examples/demo/conversation.ts";
import { parseDate } from "../../examples/demo/sets.ts";

const MAIN = join(import.meta.dirname, "../../examples/demo/main.ts");
const RECORDING = join(import.meta.dirname, "../../examples/conversation.json");
const run = promisify(execFile);

let dir: string;

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "memory-sidecar-demo-test-"));
});

afterAll(() => rmSync(dir, { recursive: true, force: true }));

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function demo(...args: readonly string[]): Promise<Outcome> {
  try {
    return { code: 0, ...(await run(process.execPath, [MAIN, ...args], { timeout: 60_000 })) };
  } catch (error) {
    return error as Outcome;
  }
}

function writeSet(name: string, set: unknown): string {
  const path = join(dir, name);
  writeFileSync(path, gzipSync(JSON.stringify(set)));
  return path;
}

function turns(count: number, speakers: readonly string[], date: string) {
  return Array.from({ length: count }, (_, index) => ({
    id: `D${index}`,
    sess: 1 + Math.floor(index / 40),
    date,
    speaker: speakers[index % speakers.length],
    text: index % 7 === 6 ? "" : `Turn ${index}: ${"words ".repeat(index % 50)}`,
    cap: index % 7 === 6 ? "a photo of a boat" : "",
  }));
}

describe("the recording", () => {
  test("is long enough, and has what an agent's conversation has", () => {
    const { appends } = readConversation(RECORDING);
    const messages = appends.flatMap((append) => append.messages);
    expect(messages.length).toBeGreaterThanOrEqual(140);
    const has = (test: (message: (typeof messages)[number]) => boolean): number =>
      messages.filter(test).length;
    expect(has((message) => (message.toolCalls?.length ?? 0) > 1)).toBeGreaterThan(5);
    expect(has((message) => message.toolError === true)).toBeGreaterThan(3);
    expect(has((message) => (message.text?.length ?? 0) > 700)).toBeGreaterThan(3);
    expect(has((message) => message.agentCalls !== undefined)).toBeGreaterThan(0);
    expect(has((message) => message.structuredData !== undefined)).toBeGreaterThan(3);
    expect(has((message) => message.providerPayload !== undefined)).toBeGreaterThan(0);
    const calls = messages.flatMap((message) => message.toolCalls ?? []);
    const answered = messages.map((message) => message.toolCallId).filter(Boolean);
    expect(calls.map((call) => call.toolCallId).sort()).toEqual(answered.sort());
  });

  test("plays over a kill -9 and holds every check", async () => {
    const { code, stdout, stderr } = await demo("--fast");
    expect(stderr).toBe("");
    expect(stdout).toContain("kill -9");
    expect(stdout).toContain("restarted");
    expect(stdout).not.toContain("✗");
    expect(stdout.match(/✓/g)).toHaveLength(7);
    expect(stdout.match(/✎/g)?.length).toBeGreaterThan(5);
    expect(stdout).toContain("The summary of what is outside");
    expect(stdout.match(/✂/g)?.length).toBeGreaterThan(5);
    expect(stdout).not.toContain("\u001b");
    for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
    expect(code).toBe(0);
  });
});

describe("a set of conversations", () => {
  test("becomes sessions, read back and compared", async () => {
    const path = writeSet("set.json.gz", [
      { id: "two-people", turns: turns(130, ["Ana", "Bo"], "1:56 pm on 8 May, 2023") },
      { id: "agent", turns: turns(90, ["user", "assistant"], "March-15-2024"), qa: [] },
      { id: "left-out", turns: turns(5, ["user", "assistant"], "2023-10-01 06:25") },
    ]);
    const { code, stdout, stderr } = await demo(path, "--limit", "2");
    expect(stderr).toBe("");
    expect(stdout).toContain("2 conversations, 220 messages");
    expect(stdout).toMatch(/✓ 1\/2 two-people: 130 messages/);
    expect(stdout).toMatch(/✓ 2\/2 agent: 90 messages/);
    expect(stdout).not.toContain("left-out");
    expect(stdout).toContain("Every message was acknowledged once");
    expect(code).toBe(0);
  });

  test("counts dates that it cannot read and goes on", async () => {
    const path = writeSet("odd.json.gz", [
      { id: "odd", turns: turns(3, ["call", "note", "photo"], "some day") },
    ]);
    const { code, stdout } = await demo(path);
    expect(stdout).toContain("3 messages had no date that could be read.");
    expect(code).toBe(0);
  });
});

describe("bad input", () => {
  test.each([["--limit", "0"], ["--limit", "many"], ["--nonsense"], ["a", "b"]])(
    "%s %s is refused",
    async (...args) => {
      expect((await demo(...args)).code).toBe(2);
    },
  );

  test("says what is wrong with a file", async () => {
    const path = join(dir, "broken.json");
    writeFileSync(path, "{}");
    const broken = await demo(path);
    expect(broken.code).toBe(1);
    expect(broken.stderr).toContain("is not a recorded conversation");
    const missing = await demo(join(dir, "missing.json"));
    expect(missing.code).toBe(1);
    expect(missing.stderr).toContain("no such file");
    const set = await demo(writeSet("broken.json.gz", [{ id: "x" }]));
    expect(set.stderr).toContain("conversation 1 has no turns");
  });

  test.each([
    ["March-15-2024", "2024-03-15T00:00:00.000Z"],
    ["1:56 pm on 8 May, 2023", "2023-05-08T13:56:00.000Z"],
    ["12:05 am on 31 December, 2022", "2022-12-31T00:05:00.000Z"],
    ["2023-10-01 06:25", "2023-10-01T06:25:00.000Z"],
    ["2023-10-01", "2023-10-01T00:00:00.000Z"],
    ["Smarch-15-2024", undefined],
    ["", undefined],
  ])("reads the date %j", (text, expected) => {
    expect(parseDate(text)?.toISOString()).toBe(expected);
  });
});
