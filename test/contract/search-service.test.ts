// Recall of sessions by occurrences: what it finds and how it ranks.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Message, Role } from "../../src/gen/memorysidecar/v1/message.ts";
import type { RecallFilter } from "../../src/gen/memorysidecar/v1/recall.ts";
import {
  type RequestOf,
  startContractServer,
  type TestServer,
} from "../support/contract/client.ts";
import {
  EVERYONE,
  message,
  ownedBy,
  recallFilter,
  session,
  visibleTo,
} from "../support/contract/samples.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startContractServer();
});

afterAll(() => server[Symbol.asyncDispose]());

const assistant = (text: string): Message => message({ role: Role.ASSISTANT, text });

async function seed(namespace: string, sessionId: string, messages: Message[]): Promise<void> {
  await server.client.call("appendMessages", {
    namespace,
    sessionId,
    messages,
    createSession: true,
  });
}

const SESSIONS = { scoring: "occurrences", groupBySession: { hitsPerSession: 5 } } as const;

async function recall(fields: Partial<RequestOf<"recall">>) {
  return await server.client.call("recall", { ...SESSIONS, ...fields });
}

async function find(namespace: string, query: string, fields: Partial<RequestOf<"recall">> = {}) {
  const { sessions } = await recall({ namespace, query, ...fields });
  return sessions.map(({ sessionId, score }) => [sessionId, score]);
}

describe("a recall by occurrences", () => {
  test("counts words in user and assistant messages, without case", async () => {
    const namespace = "tea";
    await seed(namespace, "s1", [
      message({ text: "Alice likes tea" }),
      assistant("tea is nice, TEA"),
    ]);
    await seed(namespace, "s2", [message({ text: "coffee and tea" })]);
    await seed(namespace, "s3", [
      message({ text: "q" }),
      message({ role: Role.TOOL, text: "tea tea tea" }),
      message({ role: Role.SYSTEM, text: "tea" }),
    ]);
    await seed("other", "s1", [message({ text: "tea" })]);
    expect(await find(namespace, "TEA")).toEqual([
      ["s1", 3],
      ["s2", 1],
    ]);
    expect(await find("other", "tea")).toEqual([["s1", 1]]);
    expect(await find(namespace, "coffee\t tea\n")).toEqual([
      ["s1", 3],
      ["s2", 2],
    ]);
    expect(await find(namespace, "tea coffee tea")).toEqual([
      ["s1", 6],
      ["s2", 3],
    ]);
    expect(await find(namespace, "   ")).toEqual([]);
    expect(await find(namespace, "tea", { pageSize: 1 })).toEqual([["s1", 3]]);
    expect(await find(namespace, "tea", { minScore: 2 })).toEqual([["s1", 3]]);
    expect(await find(namespace, "cocoa")).toEqual([]);
  });

  test("reads text parts, and the whole log, not just the window", async () => {
    const namespace = "parts";
    await seed(namespace, "s", [
      message({
        parts: [
          { part: { $case: "text", value: "one" } },
          { part: { $case: "text", value: "two needle" } },
          {
            part: {
              $case: "toolResult",
              value: { toolCallId: "c", text: "hidden", parts: [], error: false },
            },
          },
        ],
      }),
      message({ text: "three" }),
    ]);
    await server.client.call("trimSession", {
      namespace,
      sessionId: "s",
      target: { $case: "maxMessages", value: 1 },
    });
    expect(await find(namespace, "needle")).toEqual([["s", 1]]);
    expect(await find(namespace, "hidden")).toEqual([]);
  });

  test("gives pieces of the first messages that match", async () => {
    const namespace = "pieces";
    const long = `${"a ".repeat(500)}Needle${" b".repeat(500)}`;
    const texts = [long, "no match", ...Array.from({ length: 7 }, (_, i) => `needle ${i}`)];
    await seed(
      namespace,
      "s",
      texts.map((text, index) => message({ messageId: `m${index + 1}`, text })),
    );
    const { hits, sessions } = await recall({ namespace, query: "needle" });
    expect(sessions).toMatchObject([{ sessionId: "s", score: 8, hitCount: 5 }]);
    const found = hits.map(({ record, score, passage }) => {
      const value = record?.$case === "message" ? record.value.message : undefined;
      return { messageId: value?.messageId, seq: value?.seq, score, text: passage };
    });
    expect(found.map(({ messageId }) => messageId)).toEqual(["m1", "m3", "m4", "m5", "m6"]);
    expect(found.map(({ seq }) => seq)).toEqual([1n, 3n, 4n, 5n, 6n]);
    expect(found.every(({ score }) => score === 8)).toBe(true);
    const piece = [...(found[0]?.text ?? "")];
    expect(piece.length).toBeLessThanOrEqual(160);
    expect(piece).toContain("…");
    expect(found[0]?.text).toContain("Needle");
    expect(found[1]?.text).toBe("needle 0");
  });

  test("breaks ties by id, and ranks all of many, page by page", async () => {
    const namespace = "ties";
    const ids = ["b", "a", "é", "\u{1F600}", "\uff5e", "c", "d"];
    for (const id of ids) await seed(namespace, id, [message({ text: "same" })]);
    await seed(namespace, "zz", [message({ text: "same same" })]);
    const all = await find(namespace, "same", { pageSize: 100 });
    expect(all.map(([id]) => id)).toEqual(["zz", "a", "b", "c", "d", "é", "\uff5e", "\u{1F600}"]);
    const pages: (readonly [string, number])[] = [];
    let pageToken = "";
    do {
      const page = await recall({ namespace, query: "same", pageSize: 3, pageToken });
      pages.push(...page.sessions.map(({ sessionId, score }) => [sessionId, score] as const));
      pageToken = page.nextPageToken;
    } while (pageToken !== "");
    expect(pages).toEqual(all);
  });

  test("looks only where filter and prefix allow, and not at expired sessions", async () => {
    const namespace = "where";
    const make = async (sessionId: string, fields: Parameters<typeof session>[0]) => {
      await server.client.call("createSession", {
        namespace,
        session: session({ sessionId, ...fields }),
      });
      await seed(namespace, sessionId, [message({ text: "word" })]);
    };
    await make("a-1", { userId: "ann" });
    await make("a-2", { userId: "bob", labels: new Map([["k", "v"]]) });
    await make("b-1", { userId: "bob" });
    await make("short", { ttl: { seconds: 10n, nanos: 0 } });
    const bob = { scope: ownedBy({ userId: "bob" }) };
    const ids = async (fields: Partial<RecallFilter>) =>
      (await find(namespace, "word", { filter: recallFilter({ scope: EVERYONE, ...fields }) })).map(
        ([id]) => id,
      );
    expect(await ids({})).toEqual(["a-1", "a-2", "b-1", "short"]);
    expect(await ids({ scope: undefined })).toEqual(["short"]);
    expect(await ids({ scope: visibleTo({ userId: "ann" }) })).toEqual(["a-1", "short"]);
    expect(await ids(bob)).toEqual(["a-2", "b-1"]);
    expect(await ids({ sessionIdPrefix: "a-" })).toEqual(["a-1", "a-2"]);
    expect(await ids({ sessionIdPrefix: "a-", ...bob })).toEqual(["a-2"]);
    expect(await ids({ ...bob, sessionLabels: new Map([["k", "v"]]) })).toEqual(["a-2"]);
    expect(await ids({ sessionIds: ["a-1", "b-1"] })).toEqual(["a-1", "b-1"]);
    expect(await ids({ excludeSessionIds: ["a-1"] })).toEqual(["a-2", "b-1", "short"]);
    server.advance(11_000);
    expect(await ids({})).toEqual(["a-1", "a-2", "b-1"]);
  });

  test("finds words again after an edit, and not those that were erased", async () => {
    const namespace = "edits";
    await seed(namespace, "s", [
      message({ messageId: "m", text: "old" }),
      message({ messageId: "gone", text: "gone" }),
    ]);
    await server.client.call("updateMessage", {
      namespace,
      sessionId: "s",
      message: message({ messageId: "m", text: "new" }),
    });
    await server.client.call("deleteMessage", { namespace, sessionId: "s", messageId: "gone" });
    expect(await find(namespace, "old gone")).toEqual([]);
    expect(await find(namespace, "new")).toEqual([["s", 1]]);
  });

  test("refuses 33 words", async () => {
    const query = Array.from({ length: 33 }, (_, i) => `w${i}`).join(" ");
    const failure = await server.client.fail("recall", { ...SESSIONS, query });
    expect(failure).toMatchObject({
      ...{ code: "INVALID_ARGUMENT", reason: "REQUEST_INVALID", fields: ["query"] },
    });
  });
});
