// Goal: a hook gets exactly the messages of its task, what stands between them, and what is known.

import { afterEach, describe, expect, test } from "vitest";
import { outputOf, type ScriptedHook, scriptedHook } from "../../test/support/hooks/hooks.ts";
import {
  eventually,
  type RunnerScene,
  startRunnerScene,
  summaryPolicy,
} from "../../test/support/services/runner-scene.ts";
import type { HookSettings, SummarizeInput } from "../hooks/port.ts";
import type { SummarySpec } from "../window/policy/summary-spec.ts";

let scene: RunnerScene;
afterEach(() => scene.stop());

async function begin(hook: ScriptedHook, spec: Partial<SummarySpec> = {}): Promise<void> {
  scene = await startRunnerScene([hook]);
  await scene.open("s", summaryPolicy(hook.name, spec));
}

const idle = () => eventually("all is done", async () => (await scene.tasks()).length === 0);
const idsOf = (input: SummarizeInput | undefined) => input?.lines.map((line) => line.messageId);

describe("what a hook gets", () => {
  test("is the messages in their order, as they are and as text", async () => {
    const hook = scriptedHook("h");
    await begin(hook, { instructions: "Be brief.", transcript: "capitals" });
    await scene.append("s", [
      { messageId: "a", text: "hello", name: "Ann" },
      { messageId: "b", role: 2, text: "hi", callIds: ["c1"] },
      { messageId: "c", role: 4, text: "42", toolCallId: "c1" },
      { messageId: "d", text: "x" },
      { messageId: "e", text: "y" },
    ]);
    await idle();
    const input = hook.calls[0]?.input;
    expect(input?.lines).toEqual([
      { role: "user", text: "hello", name: "Ann", messageId: "a", seq: 1 },
      { role: "assistant", text: "hi", name: "", messageId: "b", seq: 2 },
      { role: "tool", text: "42", name: "", messageId: "c", seq: 3 },
    ]);
    expect(input?.transcript).toBe("USER: hello\nASSISTANT: hi\nTOOL: 42");
    expect(input).toMatchObject({
      ...{ instructions: "Be brief.", maxTokens: 16, loop: 0, maxLoops: 1, draft: "" },
      ...{ structured: false, replacesPrior: false, priorTexts: [], trust: 1 },
    });
    expect(input?.messages).toHaveLength(3);
  });

  test("in place: the texts of the summaries before, and those among its messages", async () => {
    const hook = scriptedHook("h", ["one", "two", "three"]);
    await begin(hook, { prefix: "Before: " });
    await scene.say("s", 5);
    await idle();
    await scene.say("s", 3);
    await idle();
    const input = hook.calls[1]?.input;
    const summary = input?.lines.find(({ role }) => role === "summary");
    expect(summary).toMatchObject({ text: "one", seq: 0 });
    expect(input?.transcript).toContain("summary: one\n");
    expect(input?.priorTexts).toEqual([]);
    expect(input?.savesTokens).toBe(true);
  });

  test("replace: the summary of the session, which the new text takes the place of", async () => {
    const hook = scriptedHook("h", ["one", "two"]);
    await begin(hook, { keep: "replace" });
    await scene.say("s", 5);
    await idle();
    await scene.say("s", 2);
    await idle();
    expect(hook.calls[0]?.input).toMatchObject({ priorTexts: [], replacesPrior: false });
    expect(hook.calls[1]?.input).toMatchObject({ priorTexts: ["one"], replacesPrior: true });
    expect(hook.calls[1]?.input).toMatchObject({ savesTokens: false });
    expect(idsOf(hook.calls[1]?.input)).toEqual(["m4", "m5"]);
  });

  test("append: the new messages only", async () => {
    const hook = scriptedHook("h", ["one", "two"]);
    await begin(hook, { keep: "append" });
    await scene.say("s", 5);
    await idle();
    await scene.say("s", 2);
    await idle();
    expect(hook.calls[1]?.input).toMatchObject({ priorTexts: [], replacesPrior: false });
    expect(hook.calls[1]?.input).toMatchObject({ savesTokens: false });
    expect(idsOf(hook.calls[1]?.input)).toEqual(["m4", "m5"]);
  });

  test("density: the draft, until nothing is missing", async () => {
    const hook = scriptedHook("h", [
      outputOf("thin", { missingEntities: ["Ann"] }),
      outputOf("Ann, thin", { missingEntities: ["Bob"] }),
      outputOf("Ann, Bob"),
    ]);
    await begin(hook, { flow: "density", maxLoops: 4 });
    await scene.say("s", 5);
    await idle();
    const calls = hook.calls.map(({ input, call }) => ({
      ...{ loop: input.loop, draft: input.draft, maxLoops: input.maxLoops },
      attempt: call.attempt,
    }));
    expect(calls).toEqual([
      { loop: 1, draft: "", maxLoops: 4, attempt: 1 },
      { loop: 2, draft: "thin", maxLoops: 4, attempt: 2 },
      { loop: 3, draft: "Ann, thin", maxLoops: 4, attempt: 3 },
    ]);
    expect((await scene.history("s"))[0]).toMatchObject({ text: "Ann, Bob", callCount: 3 });
  });

  test("is cut to what the hook takes", async () => {
    const settings: Partial<HookSettings> = { inputTokensMax: 500 };
    const hook = scriptedHook("h", [], settings);
    await begin(hook, { keep: "append" });
    await scene.append("s", [{ text: "x".repeat(40_000) }, { text: "y" }, { text: "z" }]);
    await idle();
    const [line] = hook.calls[0]?.input.lines ?? [];
    expect(line?.text.length).toBeLessThanOrEqual(2_000);
    expect(line?.text.length).toBeGreaterThan(1_000);
  });

  test("asks for the parts of an exchange when it is shown as one", async () => {
    const hook = scriptedHook("h", [outputOf("text", { requestText: "why", facts: ["f"] })]);
    await begin(hook, { shape: "exchange", maxTokens: 64 });
    await scene.append(
      "s",
      Array.from({ length: 5 }, () => ({ text: "x".repeat(800) })),
    );
    await idle();
    expect(hook.calls[0]?.input.structured).toBe(true);
    expect((await scene.windowTexts("s"))[0]).toContain("why");
  });
});

describe("what is gone", () => {
  test("is not given: a task without any message is taken away", async () => {
    const hook = scriptedHook("h", ["never"]);
    hook.gate.close();
    await begin(hook, { keep: "append", leave: "at-once" });
    await scene.open("other", summaryPolicy("h"));
    await scene.say("s", 3);
    await eventually("it is called", () => hook.gate.held === 1);
    const call = scene.call("DeleteMessage");
    const input = { namespace: "default", sessionId: "s", messageId: "m1", etag: "" };
    await scene.sessions.deleteMessage(call, {
      ...{ ...input, allowMissing: false },
      encode: () => new Uint8Array(),
    });
    hook.gate.open();
    await idle();
    expect(await scene.history("s")).toEqual([]);
  });
});
