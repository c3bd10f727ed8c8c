import { afterEach, describe, expect, test } from "vitest";
import {
  ANY,
  deleteMessage,
  ofUser,
  recallInput,
  recallTexts,
  upsert,
} from "../../test/support/recall/recall.ts";
import { draftOf, toBytes } from "../../test/support/services/json-codec.ts";
import { startTestServices, type TestServices } from "../../test/support/services/services.ts";

let services: TestServices;

afterEach(async () => {
  await services.stop();
});

async function start(options: Parameters<typeof startTestServices>[1] = {}): Promise<void> {
  services = await startTestServices({}, options);
}

describe("what recall finds", () => {
  test("messages of every session and documents, the best first", async () => {
    await start();
    await services.append("a", [{ text: "the red bicycle is in the garage" }, { text: "hello" }]);
    await services.append("b", [{ text: "we talked about trains" }]);
    await upsert(services, [{ documentId: "d", text: "bicycle repair manual" }]);
    const texts = await recallTexts(services, "red bicycle");
    expect(texts[0]).toBe("the red bicycle is in the garage");
    expect(texts).toContain("bicycle repair manual");
    expect(texts).not.toContain("we talked about trains");
  });

  test("each write that was answered, before any work in the background", async () => {
    await start();
    await services.append("a", [{ text: "first zebra" }]);
    expect(await recallTexts(services, "zebra")).toEqual(["first zebra"]);
    await services.append("a", [{ messageId: "two", text: "second zebra" }]);
    await services.append("new", [{ text: "third zebra" }]);
    expect((await recallTexts(services, "zebra")).sort()).toEqual([
      "first zebra",
      "second zebra",
      "third zebra",
    ]);
    await deleteMessage(services, "a", "two");
    expect((await recallTexts(services, "zebra")).sort()).toEqual(["first zebra", "third zebra"]);
    await services.sessions.deleteSession(services.call("DeleteSession"), {
      ...{ namespace: "default", sessionId: "new", etag: "", allowMissing: false },
      encode: toBytes,
    });
    expect(await recallTexts(services, "zebra")).toEqual(["first zebra"]);
    await services.append("new", [{ text: "zebra again" }]);
    expect((await recallTexts(services, "zebra")).sort()).toEqual(["first zebra", "zebra again"]);
  });

  test("what forks, resets and changes of messages leave", async () => {
    await start();
    await services.append("a", [{ messageId: "m", text: "a zebra" }, { text: "an old zebra" }]);
    expect(await recallTexts(services, "zebra")).toHaveLength(2);
    const sessions = (...sessionIds: string[]) => ({ filter: { ...ANY, sessionIds } });
    await services.sessions.forkSession(services.call("ForkSession"), {
      ...{ namespace: "default", sourceSessionId: "a", sessionId: "b", encode: toBytes },
    });
    expect(await recallTexts(services, "zebra", sessions("b"))).toHaveLength(2);
    await services.sessions.resetSession(services.call("ResetSession"), {
      ...{ namespace: "default", sessionId: "b", keepSystemMessages: false, etag: "" },
      ...{ keepFirstSystemMessage: false, keepSummary: false, encode: toBytes },
    });
    expect(await recallTexts(services, "zebra", sessions("b"))).toEqual([]);
    await services.sessions.updateMessage(services.call("UpdateMessage"), {
      ...{ namespace: "default", sessionId: "a", messageId: "m", etag: "", encode: toBytes },
      ...{ draft: draftOf({ text: "a giraffe" }), paths: ["text"] },
    });
    expect(await recallTexts(services, "giraffe")).toContain("a giraffe");
    expect(await recallTexts(services, "zebra", { limit: 1 })).toEqual(["an old zebra"]);
    const ofAnn = { filter: { ...ANY, scope: ofUser("ann") } };
    expect(await recallTexts(services, "zebra", ofAnn)).toEqual([]);
    await services.sessions.updateSession(services.call("UpdateSession"), {
      ...{ namespace: "default", sessionId: "a", input: { userId: "ann" }, paths: ["user_id"] },
      ...{ etag: "", encode: toBytes },
    });
    expect(await recallTexts(services, "giraffe", ofAnn)).toContain("a giraffe");
  });

  test("nothing of another namespace, and nothing for a blank query", async () => {
    await start();
    await services.append("a", [{ text: "first zebra" }]);
    expect(await recallTexts(services, "zebra", { namespace: "other" })).toEqual([]);
    expect(await recallTexts(services, "  ")).toEqual([]);
  });

  test("nothing of a session whose time has run out", async () => {
    await start();
    await services.sessions.createSession(services.call("CreateSession"), {
      ...{ namespace: "default", sessionId: "s", input: { ttlMs: 1_000 }, encode: toBytes },
    });
    await services.append("s", [{ text: "brief zebra" }]);
    expect(await recallTexts(services, "zebra")).toEqual(["brief zebra"]);
    services.advance(900);
    await services.append("s", [{ text: "more zebra" }]);
    services.advance(900);
    expect(await recallTexts(services, "zebra")).toHaveLength(2);
    services.advance(200);
    expect(await recallTexts(services, "zebra")).toEqual([]);
  });

  test("only what the scope names", async () => {
    await start();
    for (const id of ["a", "b", "c"]) {
      await services.sessions.createSession(services.call("CreateSession"), {
        ...{ namespace: "default", sessionId: id, encode: toBytes },
        input: { userId: id === "c" ? "carl" : "ann" },
      });
      await services.append(id, [{ text: `zebra of ${id}` }]);
    }
    const inA = { ...ANY, sessionIds: ["a"] };
    expect(await recallTexts(services, "zebra", { filter: inA })).toEqual(["zebra of a"]);
    const ofAnn = { ...ANY, scope: ofUser("ann") };
    expect((await recallTexts(services, "zebra", { filter: ofAnn })).sort()).toEqual([
      "zebra of a",
      "zebra of b",
    ]);
  });
});

describe("pages and context", () => {
  test("pages follow one another, and what was deleted is on none", async () => {
    await start();
    const messages = Array.from({ length: 12 }, (_, at) => ({
      messageId: `m${at}`,
      text: `zebra ${"stripe ".repeat(at)}`,
    }));
    await services.append("a", messages);
    const ask = (offset: number) =>
      services.recall.recall(services.call("Recall"), recallInput("zebra", { limit: 5, offset }));
    const first = await ask(0);
    expect(first.hits).toHaveLength(5);
    const second = await ask(first.next ?? -1);
    const ids = (page: typeof first) =>
      page.hits.map(({ record }) => (record.kind === "message" ? record.message.messageId : ""));
    expect(ids(second).filter((id) => ids(first).includes(id))).toEqual([]);
    const [gone = ""] = ids(second);
    await deleteMessage(services, "a", gone);
    expect(ids(await ask(first.next ?? -1))).not.toContain(gone);
    const last = await ask(10);
    expect(last.next).toBeUndefined();
  });

  test("messages around a hit", async () => {
    await start();
    await services.append(
      "a",
      ["one", "two", "zebra", "four", "five"].map((text) => ({ text })),
    );
    const { hits } = await services.recall.recall(
      services.call("Recall"),
      recallInput("zebra", { contextBefore: 1, contextAfter: 5, limit: 1 }),
    );
    const record = hits[0]?.record;
    if (record?.kind !== "message") throw new Error("no message was found");
    expect(record.before.map(({ seq }) => seq)).toEqual([2]);
    expect(record.after.map(({ seq }) => seq)).toEqual([4, 5]);
    expect(hits[0]?.passage).toBe("zebra");
  });

  test("the passage of a long message is the one that fits", async () => {
    await start();
    const text = `${"Nothing of interest here. ".repeat(2_000)}The zebra ran. ${"More. ".repeat(999)}`;
    await services.append("a", [{ text }]);
    const { hits } = await services.recall.recall(services.call("Recall"), recallInput("zebra"));
    expect(hits[0]?.passage).toContain("The zebra ran.");
    expect(Buffer.byteLength(hits[0]?.passage ?? "")).toBeLessThanOrEqual(4_096);
  });

  test("groups of sessions", async () => {
    await start();
    await services.append("a", [{ text: "zebra" }, { text: "zebra zebra" }]);
    await services.append("b", [{ text: "a zebra far away among other animals" }]);
    const { hits, groups } = await services.recall.recall(
      services.call("Recall"),
      recallInput("zebra", { hitsPerGroup: 1 }),
    );
    expect(groups.map(({ id, hitCount }) => [id, hitCount])).toEqual([
      ["a", 1],
      ["b", 1],
    ]);
    expect(hits).toHaveLength(2);
  });
});
