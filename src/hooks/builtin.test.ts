// The builtin hook: its thread, its faults, and what it answers.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import { TRUST } from "../summary/rules/summary.ts";
import { BUILTIN_SETTINGS, type BuiltinHook, createBuiltinHook } from "./builtin.ts";
import type { HookCall, SourceLine, SummarizeInput } from "./port.ts";

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

function hook(...given: Parameters<typeof createBuiltinHook>): BuiltinHook {
  const made = createBuiltinHook(...given);
  closers.push(() => made.close());
  return made;
}

/** A hook whose worker runs this code instead. */
function brokenHook(code: string, timeoutMs = BUILTIN_SETTINGS.timeoutMs): BuiltinHook {
  const folder = mkdtempSync(join(tmpdir(), "builtin-"));
  closers.push(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "worker.mjs");
  writeFileSync(file, `import { parentPort } from "node:worker_threads";\n${code}`);
  return hook({ ...BUILTIN_SETTINGS, timeoutMs }, pathToFileURL(file));
}

function call(signal: AbortSignal = new AbortController().signal): HookCall {
  return { taskId: "task-1", namespace: "n", sessionId: "s", attempt: 1, signal };
}

function inputOf(texts: readonly string[], more: Partial<SummarizeInput> = {}): SummarizeInput {
  const lines = texts.map((text, index): SourceLine => {
    const role = index % 2 === 0 ? "user" : "assistant";
    return { role, text, name: "", messageId: `m${index + 1}`, seq: index + 1 };
  });
  return {
    messages: [],
    lines,
    transcript: "",
    priorTexts: [],
    replacesPrior: false,
    savesTokens: true,
    maxTokens: 200,
    instructions: "",
    loop: 0,
    maxLoops: 5,
    draft: "",
    structured: false,
    trust: TRUST.medium,
    ...more,
  };
}

const TALK = [
  "My name is Anna Berg and I live in Bergen. Can you help me plan a trip to Porto in March?",
  "Sure! Flights from Bergen to Porto start at 2,400 kroner on March 12.",
  "We decided to fly on March 14 instead. Which hotel near the river has a quiet room?",
  "Hotel Douro has quiet rooms for 95 euros a night. I will follow up on the breakfast prices. " +
    "It stands on the south bank, ten minutes from the bridge, and its rooms face a garden.",
  "I prefer the south bank. We agreed on 500 euros for all three nights, breakfast not included.",
  "Then three nights from March 14 to March 17 fit, with 215 euros left for trains and museums.",
  "Museums in Porto close on Mondays. I like the tile museum and want to see it on Tuesday.",
  "The tile museum opens at 10:00, and a ticket costs 8 euros. The tram number 1 stops nearby, " +
    "and the way along the river takes about forty minutes on foot when it does not rain.",
  "I am allergic to feathers. Do they have other pillows?",
];

describe("the builtin hook", () => {
  test("answers with sentences of the messages, and ends a chain of density at once", async () => {
    const output = await hook().summarize(call(), inputOf(TALK, { loop: 1 }));
    expect(output.text).toContain("My name is Anna Berg and I live in Bergen.");
    expect(output.missingEntities).toEqual([]);
    expect(output.model).toBe("");
    expect(output.outputTokens).toBe(Math.ceil(Buffer.byteLength(output.text) / 4));
  });

  test("fills the sections when structured, within the tokens of one text", async () => {
    const output = await hook().summarize(call(), inputOf(TALK, { structured: true }));
    expect(output.requestText).toContain("Can you help me plan a trip to Porto in March?");
    expect(output.openThreads.join("\n")).toContain("Do they have other pillows?");
    expect(output.facts.length).toBeGreaterThan(0);
    const all = [output.text, output.requestText, ...output.facts, ...output.openThreads];
    const tokens = all.reduce((sum, text) => sum + Buffer.byteLength(text) / 4, 0);
    expect(tokens).toBeLessThanOrEqual(200);
    for (const fact of output.facts) expect(output.text).not.toContain(fact);
  });

  test("invents nothing for messages without words", async () => {
    const asked = hook().summarize(call(), inputOf(["", "...", " \n"]));
    await expect(asked).rejects.toMatchObject({ name: "HookFailure", reason: "empty-output" });
  });

  test("answers calls that were made at one time, each with its own", async () => {
    const one = hook();
    const answers = await Promise.all(
      ["Oslo", "Turin", "Lima"].map((town) =>
        one.summarize(call(), inputOf([`I moved to ${town} in May 2024.`, "Nice to hear that."])),
      ),
    );
    expect(answers.map(({ text }) => /Oslo|Turin|Lima/.exec(text)?.[0])).toEqual([
      "Oslo",
      "Turin",
      "Lima",
    ]);
  });

  test("fails a call whose worker crashes, and answers the next with a new worker", async () => {
    // Every worker crashes on the first message that says so, and answers all others.
    const flaky = brokenHook(`parentPort.on("message", (m) => {
      if (m.lines[0].text === "crash") process.exit(3);
      const made = { text: "made", requestText: "", facts: [], openThreads: [] };
      parentPort.postMessage(made);
    });`);
    const crash = flaky.summarize(call(), inputOf(["crash"]));
    const next = flaky.summarize(call(), inputOf(["go on"]));
    await expect(crash).rejects.toMatchObject({ name: "HookFailure", reason: "hook-error" });
    expect((await next).text).toBe("made");
  });

  test("says hook-error when the worker throws", async () => {
    const throwing = brokenHook(`parentPort.on("message", () => { throw new Error("no"); });`);
    const asked = throwing.summarize(call(), inputOf(TALK));
    await expect(asked).rejects.toMatchObject({ reason: "hook-error" });
  });

  test("ends a worker that takes too long", async () => {
    const slow = brokenHook(`parentPort.on("message", () => { for (;;); });`, 300);
    const asked = slow.summarize(call(), inputOf(TALK));
    await expect(asked).rejects.toMatchObject({ reason: "timeout" });
  });

  test("stops when the server stops", async () => {
    const stuck = brokenHook(`parentPort.on("message", () => {});`);
    const stop = new AbortController();
    const running = stuck.summarize(call(stop.signal), inputOf(TALK));
    const queued = stuck.summarize(call(stop.signal), inputOf(TALK));
    stop.abort();
    await expect(running).rejects.toMatchObject({ reason: "unreachable" });
    await expect(queued).rejects.toMatchObject({ reason: "unreachable" });
  });

  test("fails the calls under way and later ones when it is closed", async () => {
    const stuck = brokenHook(`parentPort.on("message", () => {});`);
    const running = stuck.summarize(call(), inputOf(TALK));
    const failed = expect(running).rejects.toMatchObject({ reason: "unreachable" });
    await stuck.close();
    await failed;
    await expect(stuck.summarize(call(), inputOf(TALK))).rejects.toMatchObject({
      reason: "unreachable",
    });
  });
});
