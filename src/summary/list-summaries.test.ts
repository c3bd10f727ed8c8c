// Goal: every summary of a session can be listed, page by page, with whether it is in use, and each
// leads to the messages that it stands for.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  fromBytes,
  type StoredJsonMessage,
  toBytes,
} from "../../test/support/services/json-codec.ts";
import { startTestServices, type TestServices } from "../../test/support/services/services.ts";
import type { ListSummariesInput } from "../tasks/api.ts";

const REF = { namespace: "default", sessionId: "s" };

let services: TestServices;

beforeEach(async () => {
  services = await startTestServices();
  const texts = Array.from({ length: 9 }, (_, i) => ({ messageId: `m${i + 1}`, text: `${i + 1}` }));
  await services.append("s", texts);
});

afterEach(() => services.stop());

async function set(text: string, messageIds: readonly string[] = []): Promise<void> {
  await services.sessions.setSummary(services.call("SetSummary"), {
    ...REF,
    text,
    replacedMessageIds: messageIds,
    placement: messageIds.length === 0 ? "session" : "in-place",
    encode: toBytes,
  });
}

async function list(input: Partial<ListSummariesInput> = {}) {
  const page = await services.summaries.listSummaries(services.call("ListSummaries"), {
    ...{ ...REF, currentOnly: false, order: "asc", limit: 100 },
    ...input,
  });
  const told = page.summaries.map(({ record, current }) => [record.version, record.text, current]);
  return { told, next: page.next };
}

/** Three of the session itself, of which the last is in use, and two placed, of which one is. */
async function setFive(): Promise<void> {
  await set("one");
  await set("two", ["m1", "m2"]);
  await set("three");
  const session = await services.sessions.getSession(services.call("GetSession"), REF);
  const placed = session.fields.inserts[0]?.messageId ?? "";
  await set("four", [placed, "m4"]);
  await set("five");
}

describe("listSummaries", () => {
  test("gives all, and says which are in use", async () => {
    await setFive();
    expect(await list()).toEqual({
      told: [
        [1, "one", false],
        [2, "two", false],
        [3, "three", false],
        [4, "four", true],
        [5, "five", true],
      ],
      next: undefined,
    });
  });

  test("gives pages in both orders", async () => {
    await setFive();
    const first = await list({ order: "desc", limit: 2 });
    expect(first.told.map(([version]) => version)).toEqual([5, 4]);
    const rest = await list({ order: "desc", limit: 9, after: first.next as number });
    expect(rest.told.map(([version]) => version)).toEqual([3, 2, 1]);
  });

  test("gives only those in use when asked, in pages too", async () => {
    await setFive();
    const current = { currentOnly: true } as const;
    expect((await list(current)).told.map(([version]) => version)).toEqual([4, 5]);
    const first = await list({ ...current, order: "desc", limit: 1 });
    expect(first).toEqual({ told: [[5, "five", true]], next: 5 });
    const rest = await list({ ...current, order: "desc", limit: 1, after: 5 });
    expect(rest).toEqual({ told: [[4, "four", true]], next: undefined });
  });

  test("gives none of a session without one, and fails without a session", async () => {
    expect(await list()).toEqual({ told: [], next: undefined });
    for (const currentOnly of [true, false]) {
      const missing = list({ sessionId: "nobody", currentOnly });
      await expect(missing).rejects.toMatchObject({ reason: "SESSION_NOT_FOUND" });
    }
  });
});

describe("listSummarySources", () => {
  async function sources(version: number, limit = 100, after?: number) {
    const call = services.call("ListSummarySources");
    const page = await services.summaries.listSummarySources(call, {
      ...{ ...REF, version, limit },
      ...(after === undefined ? {} : { after }),
    });
    const texts = page.messages.map((bytes) => fromBytes<StoredJsonMessage>(bytes).text);
    return { texts, next: page.next };
  }

  test("gives the messages over all levels", async () => {
    await setFive();
    expect(await sources(2)).toEqual({ texts: ["1", "2"], next: undefined });
    expect(await sources(4)).toEqual({ texts: ["1", "2", "4"], next: undefined });
    expect(await sources(1)).toEqual({ texts: [], next: undefined });
  });

  test("goes on where a page ended", async () => {
    await set("far", ["m1", "m3", "m4", "m9"]);
    const pages: string[][] = [];
    let after: number | undefined;
    do {
      const page = await sources(1, 1, after);
      pages.push(page.texts);
      after = page.next;
    } while (after !== undefined);
    expect(pages).toEqual([["1"], ["3"], ["4"], ["9"]]);
  });

  test("leaves out what was deleted since", async () => {
    await set("far", ["m1", "m3", "m4"]);
    await services.sessions.deleteMessage(services.call("DeleteMessage"), {
      ...{ ...REF, messageId: "m3", etag: "", allowMissing: false, encode: toBytes },
    });
    expect(await sources(1)).toEqual({ texts: ["1", "4"], next: undefined });
  });

  test("fails for what never was", async () => {
    await expect(sources(1)).rejects.toMatchObject({
      reason: "SUMMARY_NOT_FOUND",
      detail: { metadata: { version: 1 } },
    });
  });
});

describe("a fork", () => {
  async function fork(atSeq?: number): Promise<void> {
    await services.sessions.forkSession(services.call("ForkSession"), {
      ...{ namespace: "default", sourceSessionId: "s", sessionId: "f", encode: toBytes },
      ...(atSeq === undefined ? {} : { atSeq }),
    });
  }

  test("begins with the history of what is in use", async () => {
    await setFive();
    await fork();
    const { told } = await list({ sessionId: "f" });
    expect(told).toEqual([
      [4, "four", true],
      [5, "five", true],
    ]);
    const source = await services.store.readSummary(REF, 4);
    expect(await services.store.readSummary({ ...REF, sessionId: "f" }, 4)).toEqual(source);
  });

  test("of the past knows nothing of later messages", async () => {
    await set("old", ["m1", "m2", "m5"]);
    await fork(4);
    expect((await list({ sessionId: "f" })).told).toEqual([]);
    const session = await services.store.readSession({ ...REF, sessionId: "f" });
    expect(session?.fields.summary).toBeUndefined();
  });
});
