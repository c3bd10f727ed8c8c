// Goal: a summary can be asked for at any time; the caller learns what is under way and, when it
// waits, what came of it.

import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type Message, Role } from "../../src/gen/memorysidecar/v1/message.ts";
import {
  RemovedTo,
  StageOn,
  SummaryFailure,
  SummaryKeep,
} from "../../src/gen/memorysidecar/v1/policy.ts";
import { CompactOutcome, SummaryPlacement } from "../../src/gen/memorysidecar/v1/summary.ts";
import { TaskState } from "../../src/gen/memorysidecar/v1/task.ts";
import { HookFailure } from "../../src/hooks/port.ts";
import {
  type RequestOf,
  startContractServer,
  type TestServer,
} from "../support/contract/client.ts";
import { bare, keepNewest, result } from "../support/contract/policy-wire.ts";
import { session, toolCall } from "../support/contract/samples.ts";
import {
  detailsOf,
  dropTasks,
  kindsOf,
  line,
  lines,
  outputOf,
  span,
  summarize,
  summarizing,
  takeTask,
  tasksOf,
  until,
  WORKERS,
  windowTexts,
} from "../support/contract/summarizing.ts";
import { hooksOf, pollHook, scriptedHook } from "../support/hooks/hooks.ts";

const model = scriptedHook("model");
const WAIT = span(10_000);

let server: TestServer;
let count = 0;

beforeAll(async () => {
  server = await startContractServer({ hooks: hooksOf([model, pollHook(WORKERS)], "model") });
});

afterEach(() => dropTasks(server));

afterAll(() => server[Symbol.asyncDispose]());

/** A session that no stage looks after. */
async function plain(messages: readonly Message[] = lines(6), policy = bare([])): Promise<string> {
  const sessionId = `s${count++}`;
  await server.client.call("createSession", { session: session({ sessionId, policy }) });
  if (messages.length > 0) {
    await server.client.call("appendMessages", { sessionId, messages: [...messages] });
  }
  return sessionId;
}

const keepRecent = (value: number) => ({ $case: "keepRecent", value }) as const;

const compact = (fields: Partial<RequestOf<"compactSession">>) =>
  server.client.call("compactSession", { choice: keepRecent(2), ...fields });

const idsOf = async (sessionId: string): Promise<string[]> => {
  const { messages } = await server.client.call("getWindow", { sessionId });
  return messages.map(({ messageId }) => messageId);
};

describe("CompactSession", () => {
  test("has all but the newest messages summarized, and waits for it", async () => {
    const sessionId = await plain();
    model.script(["the gist"]);
    const answer = await compact({ sessionId, wait: WAIT });
    expect(answer.outcome).toBe(CompactOutcome.DONE);
    expect(answer.task).toMatchObject({ sessionId, stage: "", hook: "model" });
    expect(answer.summary).toMatchObject({
      version: 1n,
      text: "the gist",
      placement: SummaryPlacement.IN_PLACE,
      current: true,
      stage: "",
      hook: "model",
      level: 1,
      origin: {
        taskId: answer.task?.taskId,
        sourceTotals: { messageCount: 4n, tokenCount: 80n },
      },
      seqRanges: [{ firstSeq: 1n, lastSeq: 4n }],
    });
    const kept = lines(2, 5).map(({ text }) => text);
    expect(await windowTexts(server, sessionId)).toEqual(["the gist", ...kept]);
    const { summaries } = await server.client.call("listSummaries", { sessionId });
    expect(summaries).toEqual([answer.summary]);
    expect((await kindsOf(server, sessionId)).slice(2)).toEqual([
      "summaryRequested",
      "messagesTrimmed",
      "summarySet",
    ]);
    const [requested] = await detailsOf(server, sessionId, "summaryRequested");
    expect(requested).toMatchObject({ stage: "", taskId: answer.task?.taskId, triggers: [] });
  });

  test("says what is under way when it does not wait, or not long enough", async () => {
    const sessionId = await plain();
    model.script(["in a while"]);
    model.gate.close();
    const answer = await compact({ sessionId });
    expect(answer).toMatchObject({ outcome: CompactOutcome.PENDING, summary: undefined });
    expect(answer.revision).toBeGreaterThan(0n);
    expect((await tasksOf(server, sessionId)).map(({ taskId }) => taskId)).toEqual([
      answer.task?.taskId,
    ]);
    const other = await plain();
    const before = Date.now();
    const late = await compact({ sessionId: other, wait: span(200) });
    expect(late).toMatchObject({ outcome: CompactOutcome.PENDING, summary: undefined });
    expect(Date.now() - before).toBeGreaterThanOrEqual(190);
    model.gate.open();
    for (const id of [sessionId, other]) {
      await until(async () => ((await windowTexts(server, id)).length === 3 ? true : undefined));
    }
  });

  test("says that there is nothing to summarize", async () => {
    const empty = await plain([]);
    const few = await plain(lines(2));
    const one = await plain(lines(3));
    for (const sessionId of [empty, few, one]) {
      const { session: before } = await server.client.call("getSession", { sessionId });
      expect(await compact({ sessionId, wait: WAIT })).toEqual({
        revision: before?.revision,
        task: undefined,
        outcome: CompactOutcome.NOTHING,
        summary: undefined,
      });
    }
  });

  test("does not ask twice for the same messages", async () => {
    const sessionId = await plain();
    model.gate.close();
    const first = await compact({ sessionId });
    const second = await compact({ sessionId });
    expect(second).toMatchObject({ outcome: CompactOutcome.NOTHING, task: undefined });
    model.gate.open();
    await until(async () => ((await tasksOf(server, sessionId)).length === 0 ? true : undefined));
    const made = await detailsOf(server, sessionId, "summarySet");
    expect(made.map(({ taskId }) => taskId)).toEqual([first.task?.taskId]);
  });

  test("leaves system messages where they are, and tool calls with their results", async () => {
    const messages = [
      line("rules", { role: Role.SYSTEM }),
      ...lines(4),
      line("call", { role: Role.ASSISTANT, toolCalls: [toolCall("c1")] }),
      result("c1", { messageId: "result" }),
      line("last"),
    ];
    const sessionId = await plain(messages);
    model.script(["short"]);
    const { summary } = await compact({ sessionId, choice: keepRecent(2), wait: WAIT });
    expect(summary?.origin?.sourceTotals?.messageCount).toBe(4n);
    const ids = await idsOf(sessionId);
    expect(ids).toHaveLength(5);
    expect(ids.filter((id) => !id.startsWith(summary?.placedMessageId ?? "none"))).toEqual([
      "rules",
      "call",
      "result",
      "last",
    ]);
  });

  test("takes what a stage would remove, whether or not its triggers hold", async () => {
    const stage = summarizing(
      { hook: "model" },
      { anyOf: [{ condition: { $case: "messageCountOver", value: 1_000 } }] },
    );
    const sessionId = await plain(lines(6), bare([stage]));
    model.script(["by the stage"]);
    const choice = { $case: "stage", value: "shrink" } as const;
    const { summary, outcome } = await compact({ sessionId, choice, wait: WAIT });
    expect(outcome).toBe(CompactOutcome.DONE);
    expect(summary).toMatchObject({
      text: "by the stage",
      origin: { sourceTotals: { messageCount: 4n } },
    });
  });

  test("takes stages that only run on request", async () => {
    const stage = summarizing({ hook: "model" }, { on: StageOn.REQUEST });
    const sessionId = await plain(lines(6), bare([stage]));
    expect(await tasksOf(server, sessionId)).toEqual([]);
    const choice = { $case: "stage", value: "shrink" } as const;
    expect((await compact({ sessionId, choice, wait: WAIT })).outcome).toBe(CompactOutcome.DONE);
  });

  test("makes and keeps the summary as it is asked to", async () => {
    const sessionId = await plain();
    model.script(["one", "two"]);
    const asked = summarize({
      hook: "",
      keep: SummaryKeep.APPEND,
      separator: " / ",
      maxTokens: 99,
      instructions: "Names.",
    });
    const first = await compact({ sessionId, summarize: asked, wait: WAIT });
    expect(first.task?.work).toMatchObject({
      value: { options: { maxTokens: 99, separator: " / " } },
    });
    expect(first.summary).toMatchObject({ text: "one", placement: SummaryPlacement.SESSION });
    expect(model.calls.at(-1)?.input).toMatchObject({ maxTokens: 99, instructions: "Names." });
    await server.client.call("appendMessages", { sessionId, messages: lines(4, 7) });
    const second = await compact({ sessionId, summarize: asked, wait: WAIT });
    expect(second.summary).toMatchObject({
      version: 2n,
      text: "one / two",
      seqRanges: [{ firstSeq: 1n, lastSeq: 8n }],
      origin: { addedSeqRanges: [{ firstSeq: 5n, lastSeq: 8n }], sourceVersions: [1n] },
    });
    const { session: now } = await server.client.call("getSession", { sessionId });
    expect(now?.summary).toMatchObject({ text: "one / two", version: 2n, hook: "model" });
  });

  test("may be done by workers, too", async () => {
    const sessionId = await plain();
    const waiting = compact({ sessionId, summarize: summarize(), wait: WAIT });
    const { ref } = await until(() => takeTask(server).catch(() => undefined));
    await server.client.call("completeTask", { ...ref, output: outputOf("by a worker") });
    expect(await waiting).toMatchObject({
      outcome: CompactOutcome.DONE,
      summary: { text: "by a worker", hook: WORKERS },
    });
  });

  test("says that the task is dead", async () => {
    const sessionId = await plain();
    model.script([new HookFailure("refused", "The key is not taken.")]);
    const answer = await compact({ sessionId, wait: WAIT });
    expect(answer).toMatchObject({ outcome: CompactOutcome.FAILED, summary: undefined });
    const { task } = await server.client.call("getTask", { taskId: answer.task?.taskId ?? "" });
    expect(task?.state).toBe(TaskState.DEAD);
    expect(await windowTexts(server, sessionId)).toHaveLength(6);
  });

  test("gives the placeholder of a task that is dead", async () => {
    const sessionId = await plain();
    model.script([new HookFailure("refused", "The key is not taken.")]);
    const asked = summarize({ hook: "model", onFailure: SummaryFailure.PLACEHOLDER });
    const answer = await compact({ sessionId, summarize: asked, wait: WAIT });
    expect(answer).toMatchObject({
      outcome: CompactOutcome.FAILED,
      summary: { text: "Summary of 4 messages.", origin: { placeholder: true } },
    });
    expect(await windowTexts(server, sessionId)).toHaveLength(3);
  });

  test("says that what it waited for is not wanted any more", async () => {
    const sessionId = await plain();
    const waiting = compact({ sessionId, summarize: summarize(), wait: WAIT });
    const { ref } = await until(() => takeTask(server).catch(() => undefined));
    await server.client.call("deleteMessage", { sessionId, messageId: "m2" });
    const late = { ...ref, output: outputOf("of m2, too") };
    expect((await server.client.fail("completeTask", late)).reason).toBe("TASK_NOT_FOUND");
    expect(await waiting).toMatchObject({ outcome: CompactOutcome.SUPERSEDED, summary: undefined });
    const again = compact({ sessionId, summarize: summarize(), wait: WAIT });
    const { taskId } = await until(async () => (await tasksOf(server, sessionId))[0]);
    await server.client.call("deleteTask", { taskId });
    expect((await again).outcome).toBe(CompactOutcome.SUPERSEDED);
  });

  test("does a repeat once, and does not wait for it", async () => {
    const sessionId = await plain();
    model.script(["once"]);
    const request = { sessionId, requestId: "compact", wait: WAIT };
    const first = await compact(request);
    expect(first.outcome).toBe(CompactOutcome.DONE);
    const repeat = await compact(request);
    expect(repeat).toMatchObject({ outcome: CompactOutcome.PENDING, revision: first.revision });
    expect(repeat.task?.taskId).toBe(first.task?.taskId);
    const { summaries } = await server.client.call("listSummaries", { sessionId });
    expect(summaries).toHaveLength(1);
    const other = { ...request, choice: keepRecent(1) };
    expect(await server.client.fail("compactSession", other)).toMatchObject({
      code: "FAILED_PRECONDITION",
      reason: "REQUEST_ID_REUSED",
    });
  });

  test("ends with the deadline; the summary is made all the same", async () => {
    const sessionId = await plain();
    model.script(["all the same"]);
    model.gate.close();
    const request = { sessionId, choice: keepRecent(2), wait: WAIT };
    const failure = await server.client.fail("compactSession", request, { deadlineMs: 300 });
    expect(failure.code).toBe("DEADLINE_EXCEEDED");
    model.gate.open();
    await until(async () => ((await windowTexts(server, sessionId)).length === 3 ? 1 : undefined));
  });

  test("refuses sessions, stages and hooks that are none", async () => {
    const request = { sessionId: "nobody", choice: keepRecent(2) };
    expect(await server.client.fail("compactSession", request)).toMatchObject({
      code: "NOT_FOUND",
      reason: "SESSION_NOT_FOUND",
    });
    const sessionId = await plain();
    const nobody = { sessionId, choice: keepRecent(2), summarize: summarize({ hook: "nobody" }) };
    expect(await server.client.fail("compactSession", nobody)).toMatchObject({
      code: "FAILED_PRECONDITION",
      reason: "HOOK_NOT_CONFIGURED",
      metadata: { hook: "nobody" },
    });
    const stage = { sessionId, choice: { $case: "stage", value: "none" } as const };
    expect(await server.client.fail("compactSession", stage)).toMatchObject({
      reason: "REQUEST_INVALID",
      fields: ["stage"],
    });
    const manual = { ...nobody, summarize: summarize({ hook: "manual" }) };
    expect(await server.client.fail("compactSession", manual)).toMatchObject({
      reason: "REQUEST_INVALID",
      fields: ["summarize.hook"],
    });
    expect(await tasksOf(server, sessionId)).toEqual([]);
  });

  test("refuses what only SetSummary would do: the default and the stage may be by hand", async () => {
    await using byHand = await startContractServer();
    const sessionId = "s";
    const stage = keepNewest(2, {
      removedTo: RemovedTo.SUMMARIZE,
      summarize: summarize({ hook: "manual" }),
    });
    await byHand.client.call("createSession", {
      session: session({ sessionId, policy: bare([stage]) }),
    });
    await byHand.client.call("appendMessages", { sessionId, messages: lines(6) });
    for (const choice of [keepRecent(2), { $case: "stage", value: "keep" } as const]) {
      expect(await byHand.client.fail("compactSession", { sessionId, choice })).toMatchObject({
        code: "INVALID_ARGUMENT",
        reason: "REQUEST_INVALID",
        fields: ["summarize.hook"],
      });
    }
  });
});
