// Goal: what happens to summaries is told in order, after the trim that caused it, and can be
// watched by kind.

import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { EventType, SupersedeReason } from "../../src/gen/memorysidecar/v1/event.ts";
import {
  SummaryFailure,
  SummaryKeep,
  SummaryLeave,
} from "../../src/gen/memorysidecar/v1/policy.ts";
import { TaskFailureReason } from "../../src/gen/memorysidecar/v1/task.ts";
import { TriggerKind, TrimReason } from "../../src/gen/memorysidecar/v1/window.ts";
import { startContractServer, type TestServer } from "../support/contract/client.ts";
import { bare } from "../support/contract/policy-wire.ts";
import { session } from "../support/contract/samples.ts";
import {
  detailsOf,
  dropTasks,
  kindsOf,
  lines,
  makeScene,
  outputOf,
  STAGE,
  span,
  summarizing,
  summarizingPolicy,
  takeTask,
  WORKERS,
} from "../support/contract/summarizing.ts";
import { NOW, Watch } from "../support/contract/watch.ts";
import { hooksOf, pollHook } from "../support/hooks/hooks.ts";

let server: TestServer;
let count = 0;

beforeAll(async () => {
  server = await startContractServer({ hooks: hooksOf([pollHook(WORKERS)]) });
});

afterEach(() => dropTasks(server));

afterAll(() => server[Symbol.asyncDispose]());

const fresh = (): string => `s${count++}`;

/** The kinds of the events of one revision of a session. */
async function kindsAt(sessionId: string, revision: bigint): Promise<string[]> {
  const filter = {
    sessionId,
    userId: undefined,
    sessionIds: [],
    sessionIdPrefixes: [],
    eventTypes: [],
  };
  const { events } = await server.client.call("listEvents", { filter, pageSize: 1_000 });
  return events
    .filter((event) => event.revision === revision)
    .map(({ detail }) => detail?.$case ?? "none");
}

describe("the events of summaries", () => {
  test("follow the trim when messages leave at once, in the revision of the append", async () => {
    const sessionId = fresh();
    const policy = summarizingPolicy({
      keep: SummaryKeep.APPEND,
      leave: SummaryLeave.AT_ONCE,
    });
    const { revision } = await makeScene(server, sessionId, { policy });
    expect(await kindsAt(sessionId, revision)).toEqual([
      "messagesAppended",
      "messagesTrimmed",
      "summaryRequested",
    ]);
    const [requested] = await detailsOf(server, sessionId, "summaryRequested");
    expect(requested).toMatchObject({
      stage: STAGE,
      hook: WORKERS,
      seqRanges: [{ firstSeq: 1n, lastSeq: 3n }],
      sourceTotals: { messageCount: 3n, tokenCount: 60n },
      joined: false,
    });
    await server.client.call("appendMessages", { sessionId, messages: lines(1, 6) });
    expect((await detailsOf(server, sessionId, "summaryRequested"))[1]).toMatchObject({
      taskId: requested?.taskId,
      joined: true,
    });
    const { ref } = await takeTask(server);
    const done = await server.client.call("completeTask", { ...ref, output: outputOf("so far") });
    expect(await kindsAt(sessionId, done.revision)).toEqual(["summarySet"]);
  });

  test("name what made the stage act", async () => {
    const sessionId = fresh();
    const anyOf = [{ condition: { $case: "messageCountOver", value: 4 } as const }];
    await makeScene(server, sessionId, { policy: bare([summarizing({}, { anyOf })]) });
    const [requested] = await detailsOf(server, sessionId, "summaryRequested");
    expect(requested?.triggers).toMatchObject([{ kind: TriggerKind.MESSAGE_COUNT }]);
    const { ref } = await takeTask(server);
    await server.client.call("deleteTask", { taskId: ref.taskId });
  });

  test("tell of the trim first when a summary takes the place of messages", async () => {
    const sessionId = fresh();
    const append = await makeScene(server, sessionId);
    expect(await kindsAt(sessionId, append.revision)).toEqual([
      "messagesAppended",
      "summaryRequested",
    ]);
    const { ref } = await takeTask(server);
    const { revision } = await server.client.call("completeTask", {
      ...ref,
      output: outputOf("they met"),
    });
    expect(await kindsAt(sessionId, revision)).toEqual(["messagesTrimmed", "summarySet"]);
    const [{ trim } = { trim: undefined }] = await detailsOf(server, sessionId, "messagesTrimmed");
    expect(trim).toMatchObject({
      stage: STAGE,
      reason: TrimReason.SUMMARIZED,
      messageIds: ["m1", "m2", "m3"],
    });
    // By hand it is the same.
    const byHand = await server.client.call("setSummary", {
      sessionId,
      text: "and went",
      replacedMessageIds: ["m4"],
      placement: 2,
    });
    expect(await kindsAt(sessionId, byHand.session?.revision ?? 0n)).toEqual([
      "messagesTrimmed",
      "summarySet",
    ]);
  });

  test("tell of each failed attempt, and of the last one that the task is dead", async () => {
    const sessionId = fresh();
    await makeScene(server, sessionId);
    const first = await takeTask(server);
    await server.client.call("failTask", { ...first.ref, retryDelay: span(1_000) });
    server.advance(2_000);
    const { ref } = await takeTask(server);
    await server.client.call("failTask", { ...ref, permanent: true });
    expect((await kindsOf(server, sessionId)).slice(3)).toEqual([
      "summaryFailed",
      "summaryFailed",
      "taskDead",
    ]);
    const [failed, last] = await detailsOf(server, sessionId, "summaryFailed");
    expect(failed?.retryTime).toBeDefined();
    expect(last).toMatchObject({ failedAttempts: 2, retryTime: undefined });
    const [dead] = await detailsOf(server, sessionId, "taskDead");
    expect(dead).toMatchObject({
      ...{ taskId: ref.taskId, stage: STAGE, hook: WORKERS, type: 1 },
      ...{ reason: TaskFailureReason.WORKER, failedAttempts: 2, callCount: 2 },
      effect: SummaryFailure.KEEP,
      seqRanges: [{ firstSeq: 1n, lastSeq: 3n }],
    });
    expect(Number(dead?.duration?.seconds ?? 0n)).toBeGreaterThanOrEqual(2);
  });

  test("tell of what is dropped or replaced before the end of the task", async () => {
    const expected = [
      [SummaryFailure.DROP, ["summaryFailed", "messagesTrimmed", "taskDead"]],
      [SummaryFailure.PLACEHOLDER, ["summaryFailed", "messagesTrimmed", "summarySet", "taskDead"]],
    ] as const;
    for (const [onFailure, kinds] of expected) {
      const sessionId = fresh();
      await makeScene(server, sessionId, { policy: summarizingPolicy({ onFailure }) });
      const { ref } = await takeTask(server);
      await server.client.call("failTask", { ...ref, permanent: true });
      expect((await kindsOf(server, sessionId)).slice(3)).toEqual(kinds);
      const [dead] = await detailsOf(server, sessionId, "taskDead");
      expect(dead?.effect).toBe(onFailure);
      const trims = await detailsOf(server, sessionId, "messagesTrimmed");
      const isDrop = onFailure === SummaryFailure.DROP;
      expect(trims[0]?.trim?.reason).toBe(
        isDrop ? TrimReason.SUMMARY_FAILED : TrimReason.SUMMARIZED,
      );
    }
  });

  test("say why a summary is not wanted any more", async () => {
    const reasonOf = async (change: (sessionId: string) => Promise<unknown>) => {
      const sessionId = fresh();
      await makeScene(server, sessionId);
      await change(sessionId);
      const [superseded] = await detailsOf(server, sessionId, "summarySuperseded");
      return superseded?.reason;
    };
    expect(
      await reasonOf((sessionId) =>
        server.client.call("updateSession", { session: session({ sessionId, policy: bare([]) }) }),
      ),
    ).toBe(SupersedeReason.POLICY_CHANGED);
    expect(await reasonOf((sessionId) => server.client.call("resetSession", { sessionId }))).toBe(
      SupersedeReason.SESSION_RESET,
    );
    expect(
      await reasonOf(async (sessionId) => {
        const { ref } = await takeTask(server);
        await server.client.call("deleteMessage", { sessionId, messageId: "m1" });
        await server.client.fail("completeTask", { ...ref, output: outputOf("of m1") });
      }),
    ).toBe(SupersedeReason.MESSAGES_CHANGED);
  });
});

describe("a watch", () => {
  test("gives the kinds of events that it names", async () => {
    const sessionId = fresh();
    const types = [
      EventType.SUMMARY_REQUESTED,
      EventType.SUMMARY_FAILED,
      EventType.SUMMARY_SET,
      EventType.TASK_DEAD,
      EventType.SUMMARY_SUPERSEDED,
    ];
    const filter = {
      sessionId,
      userId: undefined,
      sessionIds: [],
      sessionIdPrefixes: [],
      eventTypes: types,
    };
    const watch = new Watch(server.client, { start: NOW, filter });
    await watch.next();
    await makeScene(server, sessionId);
    const first = await takeTask(server);
    await server.client.call("failTask", { ...first.ref, retryDelay: span(0) });
    server.advance(2_000);
    const second = await takeTask(server);
    await server.client.call("completeTask", { ...second.ref, output: outputOf("they met") });
    const next = await server.client.call("appendMessages", { sessionId, messages: lines(2, 6) });
    await server.client.call("deleteTask", { taskId: next.stageRuns[0]?.taskId ?? "" });
    const seen: string[] = [];
    while (seen.length < 5) {
      const { event } = await watch.event();
      expect(event.sessionId).toBe(sessionId);
      expect(types).toContain(event.type);
      seen.push(event.detail?.$case ?? "none");
    }
    watch.close();
    expect(seen).toEqual([
      "summaryRequested",
      "summaryFailed",
      "summarySet",
      "summaryRequested",
      "summarySuperseded",
    ]);
  });

  test("refuses kinds that there are not", async () => {
    const filter = {
      sessionId: undefined,
      userId: undefined,
      sessionIds: [],
      sessionIdPrefixes: [],
      eventTypes: [1_000] as never,
    };
    expect(await server.client.fail("listEvents", { filter })).toMatchObject({
      reason: "REQUEST_INVALID",
      fields: ["filter.event_types[0]"],
    });
  });
});
