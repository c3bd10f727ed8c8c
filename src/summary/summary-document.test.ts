// Goal: a summary is a document exactly when it is set, and the next search finds it.

import { afterEach, describe, expect, test } from "vitest";
import { hooksOf, scriptedHook } from "../../test/support/hooks/hooks.ts";
import { openSession } from "../../test/support/memory/turns.ts";
import { readDocument } from "../../test/support/recall/json-recall.ts";
import { searchIds } from "../../test/support/recall/recall.ts";
import { toBytes } from "../../test/support/services/json-codec.ts";
import { eventually, someTurns } from "../../test/support/services/runner-scene.ts";
import {
  startTestServices,
  storeWith,
  type TestServices,
} from "../../test/support/services/services.ts";
import { policyOf, stageOf } from "../../test/support/window/policies.ts";
import { EVENT_TYPE } from "../events/rules/event.ts";
import { HookFailure } from "../hooks/port.ts";
import { LIMITS } from "../kit/limits.ts";
import type { Store } from "../store/store.ts";
import { DEFAULT_SUMMARY_SPEC, type SummarySpec } from "../window/policy/summary-spec.ts";
import { namesInDocuments, readSummaryId, summaryDocumentId } from "./summary-document.ts";

const LINE = "I would like to hear more of this. ".repeat(12);
const LINES = Array.from({ length: 4 }, () => ({ text: LINE }));

let services: TestServices;
afterEach(() => services.stop());

async function summarized(
  text: string | Error,
  spec: Partial<SummarySpec> = {},
  wrapStore: (store: Store) => Store = (store) => store,
): Promise<void> {
  services = await startTestServices(
    {},
    { hooks: hooksOf([scriptedHook("h", [text])]), wrapStore },
  );
  const summarize = { ...DEFAULT_SUMMARY_SPEC, hook: "h", collectionId: "notes", ...spec };
  const policy = policyOf([stageOf({ removedTo: "summarize", summarize })]);
  await openSession(services, "s", { policy });
  await services.append("s", LINES);
  await eventually("the summary is set", async () =>
    (await services.allEvents()).some(({ detail }) => detail.type === EVENT_TYPE.summarySet),
  );
}

async function documents(collectionId = "notes") {
  const query = { namespace: "default", collectionId, after: 0, limit: 100 };
  const page = await services.store.listDocuments(query);
  return page.documents;
}

describe("a summary with a collection", () => {
  test.each([
    {},
    { keep: "append" },
    { keep: "replace", leave: "at-once", onFailure: "drop" },
  ] as const)("becomes a document in the same transaction, with %j", async (spec) => {
    await summarized("They talked about tea.", spec);
    const [document] = await documents();
    expect(document?.documentId).toBe("summary:s:1");
    expect(readDocument(document?.bytes ?? new Uint8Array())).toMatchObject({
      ...{ text: "They talked about tea.", labels: { session: "s", stage: "two" } },
      stamp: { collectionId: "notes", writer: "server" },
      // Messages of the session belong to its user alone.
      scope: { userId: "u1", agentId: "", sessionId: "" },
    });
    const events = await services.allEvents();
    const upserted = events.find(({ detail }) => detail.type === EVENT_TYPE.documentsUpserted);
    const set = events.find(({ detail }) => detail.type === EVENT_TYPE.summarySet);
    expect(upserted?.detail).toMatchObject({
      ...{ collectionId: "notes", documentIds: ["summary:s:1"], createdCount: 1 },
    });
    expect(upserted?.revision).toBe(set?.revision);
  });

  test("is found by the next search, also when the collection was searched before", async () => {
    const hook = scriptedHook("h", ["They talked about marzipan."]);
    services = await startTestServices({}, { hooks: hooksOf([hook]) });
    const find = async (): Promise<string[]> => {
      const found = await searchIds(services, "marzipan", { collectionId: "notes" });
      return found.map(({ id }) => id);
    };
    expect(await find()).toEqual([]);
    const summarize = { ...DEFAULT_SUMMARY_SPEC, hook: "h", collectionId: "notes" };
    const policy = policyOf([stageOf({ removedTo: "summarize", summarize })]);
    await openSession(services, "s", { policy });
    await services.append("s", LINES);
    await eventually("the summary is set", async () => (await documents()).length > 0);
    expect(await find()).toEqual(["summary:s:1"]);
  });

  test("is cut into chunks when it is long", async () => {
    await summarized("A sentence that goes on. ".repeat(60), { keep: "replace", maxTokens: 4_000 });
    const all = await documents();
    expect(all.length).toBeGreaterThan(1);
    expect(all.map(({ documentId }) => documentId)).toEqual(
      all.map((_, index) => `summary:s:1#${index}`),
    );
    expect(new Set(all.map(({ sourceId }) => sourceId))).toEqual(new Set(["summary:s:1"]));
  });

  test("leaves those of an earlier session of the same id, chunks included", async () => {
    const texts = ["A sentence that goes on. ".repeat(60), "Short."];
    const hook = scriptedHook("h", texts);
    services = await startTestServices({}, { hooks: hooksOf([hook]) });
    const summarize: SummarySpec = {
      ...{ ...DEFAULT_SUMMARY_SPEC, hook: "h", collectionId: "notes" },
      ...{ keep: "replace", maxTokens: 4_000 },
    };
    const policy = policyOf([stageOf({ removedTo: "summarize", summarize })]);
    for (let life = 0; life < 2; life++) {
      await openSession(services, "s", { policy });
      await services.append("s", LINES);
      await eventually("the summary is set", async () => (await documents()).length > life);
      await eventually("it is the newest", () => hook.calls.length > life);
      await someTurns();
      if (life > 0) break;
      expect((await documents()).length).toBeGreaterThan(1);
      await services.sessions.deleteSession(services.call("DeleteSession"), {
        ...{ namespace: "default", sessionId: "s", etag: "", allowMissing: false },
        encode: () => toBytes({}),
      });
    }
    const ids = (await documents()).map(({ documentId }) => documentId);
    expect(ids.slice(0, 2)).toEqual(["summary:s:1#0", "summary:s:1#1"]);
    expect(ids.at(-1)).toMatch(/^summary:s:1-[0-9a-z]+$/);
    const deleted = (await services.allEvents()).filter(
      ({ detail }) => detail.type === EVENT_TYPE.documentsDeleted,
    );
    expect(deleted).toEqual([]);
  });
});

test("is no document without a collection, and a placeholder is none", async () => {
  await summarized("Short.", { collectionId: "" });
  expect(await documents()).toEqual([]);
  await services.stop();
  await summarized(new HookFailure("refused", "No."), { onFailure: "placeholder" });
  expect(await documents()).toEqual([]);
});

test("is set without a document where the namespace has no room for one more collection", async () => {
  await summarized("Short.", {}, (store) =>
    storeWith(store, {
      changeSession: (change, decide) =>
        store.changeSession(change, (view) =>
          decide({
            ...view,
            documents: (asked) => ({
              ...view.documents(asked),
              collectionCount: LIMITS.collections,
            }),
          }),
        ),
    }),
  );
  expect(await documents()).toEqual([]);
});

test("names a document by its session, or by a hash that fits", () => {
  expect(summaryDocumentId("s", 3)).toBe("summary:s:3");
  for (const id of ["x".repeat(300), "a#b"]) {
    expect(summaryDocumentId(id, 3)).toMatch(/^summary:[0-9a-f]{32}:3$/);
  }
});

test("reads the names of documents", () => {
  const hash = summaryDocumentId("#", 3).split(":")[1] ?? "";
  expect(namesInDocuments("#")).toEqual(["#", hash]);
  expect(readSummaryId("summary:a:b:3")).toEqual({ session: "a:b", version: 3, life: "" });
  expect(readSummaryId("summary:a:3-lqz")).toEqual({ session: "a", version: 3, life: "lqz" });
  expect(readSummaryId("summary:a:3-lqz-2")).toEqual({ session: "a", version: 3, life: "lqz" });
  expect(readSummaryId("summary:a:x")).toBeUndefined();
  expect(readSummaryId("other:a:3")).toBeUndefined();
});
