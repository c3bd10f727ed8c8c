// Goal: answers about the largest windows that there are, under the policies that say the most
// about them, stay below what stock gRPC clients take.

import { afterAll, beforeAll, expect, test } from "vitest";
import type { Message } from "../../src/gen/memorysidecar/v1/message.ts";
import { type PolicyStage, RemovedTo, StageOn } from "../../src/gen/memorysidecar/v1/policy.ts";
import { SnapshotHeader } from "../../src/gen/memorysidecar/v1/snapshot.ts";
import { SummaryPlacement } from "../../src/gen/memorysidecar/v1/summary.ts";
import { LIMITS } from "../../src/kit/limits.ts";
import { requestBytes, startContractServer, type TestServer } from "../support/contract/client.ts";
import { keepNewest } from "../support/contract/policy-wire.ts";
import { message, policy, protections, session, written } from "../support/contract/samples.ts";
import { bringSnapshot, takeSnapshot } from "../support/contract/snapshots.ts";

/** Default message limit of clients of grpc-js, grpc-go and grpc-java. */
const STOCK_MAX = 4_194_304;
const MESSAGES = 8_800;

let server: TestServer;

beforeAll(async () => {
  server = await startContractServer();
});

afterAll(() => server[Symbol.asyncDispose]());

/** A message whose id takes nearly all of it. */
const named = (index: number): Message =>
  message({ messageId: `${index}`.padStart(LIMITS.messageIdBytes, "x"), text: "" });

/** Stages that all have everything wait for a summary. */
const waiting = (on: StageOn): PolicyStage[] =>
  Array.from({ length: LIMITS.policyStages }, (_, index) =>
    keepNewest(1, {
      name: `s${index}`.padEnd(LIMITS.stageNameChars, "-"),
      on,
      removedTo: RemovedTo.SUMMARIZE,
      effect: 1,
    }),
  );

test("of the longest ids and the most stages", async () => {
  const all = [...waiting(StageOn.APPEND)];
  const waits = policy({ stages: all, protections: protections({ releaseLastUser: true }) });
  await server.client.call("createSession", {
    session: session({ sessionId: "s", policy: policy({ stages: [] }) }),
  });
  for (let index = 0; index < MESSAGES; index += LIMITS.appendMessages) {
    const count = Math.min(LIMITS.appendMessages, MESSAGES - index);
    const messages = Array.from({ length: count }, (_, at) => named(index + at));
    await server.client.call("appendMessages", { sessionId: "s", messages });
  }
  await server.client.call("updateSession", {
    session: session({ sessionId: "s", policy: waits }),
  });
  const sizeOf = async (...[method, fields]: Parameters<typeof requestBytes>): Promise<number> => {
    const outcome = await server.client.raw(
      method as Parameters<TestServer["client"]["raw"]>[0],
      requestBytes(method, fields),
    );
    if ("failure" in outcome) throw new Error(outcome.failure.message);
    return outcome.bytes.length;
  };
  const append = await server.client.call("appendMessages", {
    sessionId: "s",
    messages: [named(MESSAGES)],
  });
  const awaited = append.stageRuns.map(({ awaitingMessageIds }) => awaitingMessageIds.length);
  expect(awaited).toEqual([253, ...Array.from({ length: 15 }, () => 0)]);
  expect(
    await sizeOf("appendMessages", { sessionId: "s", messages: [named(MESSAGES + 1)] }),
  ).toBeLessThan(STOCK_MAX);
  const onRead = policy({ ...waits, stages: waiting(StageOn.READ) });
  expect(await sizeOf("getWindow", { sessionId: "s", policy: written(onRead) })).toBeLessThan(
    STOCK_MAX,
  );
  const policies = Array.from({ length: LIMITS.previewPolicies }, () => written(waits));
  expect(await sizeOf("previewPolicy", { sessionId: "s", policies })).toBeLessThan(STOCK_MAX);
  const { previews } = await server.client.call("previewPolicy", { sessionId: "s", policies });
  for (const { messages, truncated } of previews) {
    expect(truncated).toBe(true);
    expect(messages.length).toBeGreaterThan(500);
    expect(messages.at(-1)?.messageId).toMatch(/8801$/);
  }
}, 60_000);

test("of a summary that stands for every other message", async () => {
  const count = 2 * LIMITS.summaryRanges + 2;
  const messages = Array.from({ length: count }, (_, at) => message({ messageId: `m${at + 1}` }));
  const everything = policy({ stages: [] });
  await server.client.call("createSession", {
    session: session({ sessionId: "runs", policy: everything }),
  });
  await server.client.call("appendMessages", { sessionId: "runs", messages });
  const odd = messages.map(({ messageId }) => messageId).filter((_, at) => at % 2 === 0);
  const { placed } = await server.client.call("setSummary", {
    sessionId: "runs",
    text: "every other one",
    replacedMessageIds: odd,
    placement: SummaryPlacement.IN_PLACE,
  });
  expect(placed?.seqRanges).toHaveLength(LIMITS.summaryRanges);
  expect(placed?.seqRanges.slice(0, 2)).toEqual([
    { firstSeq: 1n, lastSeq: 3n },
    { firstSeq: 5n, lastSeq: 5n },
  ]);
});

test("of the largest summaries in a window, exported and imported", async () => {
  const texts = Array.from({ length: 46 }, (_, at) => `${at}`.padEnd(LIMITS.summaryBytes, "x"));
  const messages = texts.map((_, at) => message({ messageId: `m${at}` }));
  const sessionId = "summaries";
  const everything = session({ sessionId, policy: policy({ stages: [] }) });
  await server.client.call("createSession", { session: everything });
  await server.client.call("appendMessages", { sessionId, messages });
  for (const [at, text] of texts.entries()) {
    const replaced = { replacedMessageIds: [`m${at}`], placement: SummaryPlacement.IN_PLACE };
    await server.client.call("setSummary", { sessionId, text, ...replaced });
  }
  const { header, messages: log } = await takeSnapshot(server.client, sessionId);
  expect(SnapshotHeader.encode(header).finish().length).toBeLessThan(STOCK_MAX - 65_536);
  const copy = { sessionId: "summaries-copy" };
  const made = await bringSnapshot(server.client, { header, messages: log }, copy);
  expect(made.placedSummaries.map(({ text }) => text)).toEqual(texts);
});
