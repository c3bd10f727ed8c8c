// ListMessages over several sessions: the messages of each, one session after the other, on pages
// that give each message once, whatever happens to the sessions in between.

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CODEC } from "../../src/edge/codec.ts";
import { MessageSessions } from "../../src/gen/memorysidecar/v1/history.ts";
import { MessageOrder } from "../../src/gen/memorysidecar/v1/message.ts";
import { SessionFilter } from "../../src/gen/memorysidecar/v1/session.ts";
import type { ListMessagesRequest } from "../../src/gen/memorysidecar/v1/session_service.ts";
import { openLmdbStore } from "../../src/store/lmdb/store.ts";
import { startContractServer, type TestServer } from "../support/contract/client.ts";
import { message, messageFilter, session } from "../support/contract/samples.ts";
import { makeTempDir, type TempDir } from "../support/kit/temp-dir.ts";

const NOTHING = new Uint8Array(0);

let directory: TempDir;
let server: TestServer;
let made = 0;

// The bounds of what a page examines are those of the real store.
beforeAll(async () => {
  directory = await makeTempDir();
  const { readFacts } = CODEC;
  const store = await openLmdbStore({ directory: directory.path, readFacts, floor: { bytes: 0 } });
  server = await startContractServer({ wrapStore: () => store });
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await directory[Symbol.asyncDispose]();
});

const named = (...sessionIds: string[]) => ({
  sessions: { ...MessageSessions.decode(NOTHING), sessionIds },
});
const filtered = (fields: Partial<SessionFilter> = {}) => {
  const filter = { ...SessionFilter.decode(NOTHING), ...fields };
  return { sessions: { ...MessageSessions.decode(NOTHING), filter } };
};

async function append(namespace: string, sessionId: string, texts: readonly string[]) {
  const messages = texts.map((text, at) => message({ text, role: at % 2 === 0 ? 1 : 2 }));
  if (messages.length === 0) return;
  await server.client.call("appendMessages", { namespace, sessionId, messages });
}

/** Makes sessions with so many messages each; the id says whose it is. */
async function seeded(sizes: Readonly<Record<string, number>>): Promise<string> {
  const namespace = `several-${++made}`;
  for (const [sessionId, size] of Object.entries(sizes)) {
    const [userId = ""] = sessionId.split(".");
    const made = session({ sessionId, userId });
    await server.client.call("createSession", { namespace, session: made });
    await append(
      namespace,
      sessionId,
      Array.from({ length: size }, (_, at) => `${at + 1}`),
    );
  }
  return namespace;
}

type Asked = Partial<ListMessagesRequest> & { readonly namespace: string };

/** All pages of a list; something may happen between them. */
async function all(asked: Asked, between?: (page: number) => Promise<unknown>) {
  const found: string[] = [];
  let pageToken = "";
  for (let page = 0; ; page += 1) {
    const answer = await server.client.call("listMessages", { ...asked, pageToken });
    expect(answer.messages).toEqual([]);
    expect(answer.foundMessages.length).toBeLessThanOrEqual(asked.pageSize || 100);
    for (const one of answer.foundMessages) found.push(`${one.sessionId} ${one.message?.text}`);
    pageToken = answer.nextPageToken;
    if (pageToken === "") return found;
    await between?.(page);
  }
}

const of = (sessionId: string, ...seqs: number[]) => seqs.map((seq) => `${sessionId} ${seq}`);
const DESC = { order: MessageOrder.SEQ_DESC };

describe("the messages of several sessions", () => {
  test("come session by session, in the order asked for", async () => {
    const namespace = await seeded({ "ana.1": 3, "bob.1": 2, "ana.2": 2, "ana.3": 0 });
    const user = filtered({ userId: "ana" });
    const ids = named("bob.1", "none", "ana.1");
    for (const pageSize of [0, 1, 2, 3, 4, 7]) {
      const ask = (more: object) => all({ namespace, pageSize, ...more });
      expect(await ask(user)).toEqual([...of("ana.1", 1, 2, 3), ...of("ana.2", 1, 2)]);
      expect(await ask({ ...user, ...DESC })).toEqual([
        ...of("ana.2", 2, 1),
        ...of("ana.1", 3, 2, 1),
      ]);
      expect(await ask(ids)).toEqual([...of("bob.1", 1, 2), ...of("ana.1", 1, 2, 3)]);
      expect(await ask({ ...ids, ...DESC })).toEqual([
        ...of("bob.1", 2, 1),
        ...of("ana.1", 3, 2, 1),
      ]);
      expect(await ask(filtered({ sessionIdPrefix: "bob" }))).toEqual(of("bob.1", 1, 2));
      expect(await ask(filtered())).toHaveLength(7);
      expect(await ask(named("none"))).toEqual([]);
    }
    expect(await all({ namespace: `${namespace}-x`, ...filtered() })).toEqual([]);
  });

  test("pass the filter of messages, and are counted", async () => {
    const namespace = await seeded({ "ana.1": 5, "bob.1": 4, "ana.2": 3 });
    const filter = messageFilter({ roles: [1], firstSeq: 2n });
    const ask = { namespace, ...filtered({ userId: "ana" }), pageSize: 1 };
    expect(await all({ ...ask, filter })).toEqual([...of("ana.1", 3, 5), ...of("ana.2", 3)]);
    const total = async (more: object = {}) =>
      (await server.client.call("listMessages", { ...ask, includeTotal: true, ...more })).total;
    expect(await total()).toEqual({ count: 8n, atLeast: false });
    expect(await total({ filter })).toEqual({ count: 3n, atLeast: false });
    expect(await total(named("bob.1", "none"))).toEqual({ count: 4n, atLeast: false });
    const page = await server.client.call("listMessages", ask);
    const [first] = page.foundMessages;
    const got = await server.client.call("getMessage", {
      ...{ namespace, sessionId: "ana.1", messageId: first?.message?.messageId ?? "" },
    });
    expect(first?.message).toEqual(got.message);
    expect(page.total).toBeUndefined();
    const two = messageFilter({
      messageIds: [first?.message?.messageId ?? "", "none"],
    });
    expect(await all({ namespace, ...filtered(), filter: two })).toEqual(of("ana.1", 1));
  });

  test("of a session that goes, or comes again, between pages are no error and no repeat", async () => {
    const sizes = { "ana.1": 3, "ana.2": 3, "ana.3": 3 };
    for (const choice of [filtered({ userId: "ana" }), named("ana.1", "ana.2", "ana.3")]) {
      const namespace = await seeded(sizes);
      const ask = { namespace, ...choice, pageSize: 2 };
      const remove = (sessionId: string) =>
        server.client.call("deleteSession", { namespace, sessionId });
      // The second page begins in the middle of the session that goes.
      const rest = await all(ask, async (page) => {
        if (page === 0) await remove("ana.1");
      });
      expect(rest).toEqual([
        ...of("ana.1", 1, 2),
        ...of("ana.2", 1, 2, 3),
        ...of("ana.3", 1, 2, 3),
      ]);
      const again = await all(ask, async (page) => {
        if (page !== 0) return;
        await remove("ana.2");
        await server.client.call("createSession", {
          ...{ namespace, session: session({ sessionId: "ana.2", userId: "ana" }) },
        });
        await append(namespace, "ana.2", ["new"]);
      });
      expect(again.slice(0, 2)).toEqual(of("ana.2", 1, 2));
      expect(again.slice(2).sort()).toEqual([
        ...of("ana.2", "new" as never),
        ...of("ana.3", 1, 2, 3),
      ]);
    }
  });

  test("that are written between pages repeat nothing", async () => {
    const namespace = await seeded({ "ana.1": 2, "ana.2": 2 });
    const ask = { namespace, ...filtered(), pageSize: 1 };
    const grown = await all(ask, async (page) => {
      if (page !== 1) return;
      await append(namespace, "ana.1", ["late"]);
      await append(namespace, "ana.2", ["3"]);
    });
    expect(new Set(grown).size).toBe(grown.length);
    expect(grown).toEqual(expect.arrayContaining([...of("ana.1", 1, 2), ...of("ana.2", 1, 2, 3)]));
  });

  test("of very many sessions are all found, most of them empty", async () => {
    const namespace = `several-${++made}`;
    const texts: string[] = [];
    for (let at = 0; at < 300; at += 1) {
      const sessionId = `s${at}`;
      if (at % 7 === 3) {
        const messages = [message({ text: "x" })];
        const request = { namespace, sessionId, createSession: true, messages };
        await server.client.call("appendMessages", request);
        texts.push(`${sessionId} x`);
      } else {
        await server.client.call("createSession", { namespace, session: session({ sessionId }) });
      }
    }
    for (const pageSize of [5, 100]) {
      expect(await all({ namespace, ...filtered(), pageSize })).toEqual(texts);
      const newest = await all({ namespace, ...filtered(), ...DESC, pageSize });
      expect(newest).toEqual(texts.toReversed());
    }
    const filter = messageFilter({ labels: new Map([["none", "x"]]) });
    expect(await all({ namespace, ...filtered(), filter })).toEqual([]);
  });

  test("are examined up to a bound, on a page and by a count", async () => {
    const namespace = `several-${++made}`;
    const put = (sessionId: string, count: number, fields: Parameters<typeof message>[0] = {}) =>
      server.client.call("appendMessages", {
        ...{ namespace, sessionId, createSession: true },
        messages: Array.from({ length: count }, () => message({ text: "x", ...fields })),
      });
    for (let at = 0; at < 11; at += 1) await put("long", 1_000);
    await put("short", 1, { labels: new Map([["k", "v"]]) });
    const filter = messageFilter({ labels: new Map([["k", "v"]]) });
    const ask = { namespace, ...filtered(), filter, includeTotal: true };
    const first = await server.client.call("listMessages", ask);
    expect(first.foundMessages).toEqual([]);
    expect(first.nextPageToken).not.toBe("");
    expect(first.total).toEqual({ count: 0n, atLeast: true });
    expect(await all(ask)).toEqual(["short x"]);
    const whole = { namespace, ...filtered(), includeTotal: true, pageSize: 1 };
    const { total } = await server.client.call("listMessages", whole);
    expect(total).toEqual({ count: 11_001n, atLeast: false });
  });

  test("end a page before 3 MiB", async () => {
    const namespace = `several-${++made}`;
    for (let at = 0; at < 5; at += 1) {
      const messages = [message({ text: "x".repeat(900_000) })];
      const request = { namespace, sessionId: `s${at}`, createSession: true, messages };
      await server.client.call("appendMessages", request);
    }
    const first = await server.client.call("listMessages", { namespace, ...filtered() });
    expect(first.foundMessages).toHaveLength(3);
    expect(await all({ namespace, ...filtered() })).toHaveLength(5);
  });

  test("are those of each session, whatever the sizes, the filter and the pages", async () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 5 });
    const cases = fc.record({
      sizes,
      pageSize: fc.integer({ min: 1, max: 6 }),
      order: fc.constantFrom(MessageOrder.SEQ_ASC, MessageOrder.SEQ_DESC),
      roles: fc.constantFrom([], [1], [2]),
    });
    const check = fc.asyncProperty(cases, async ({ sizes: each, pageSize, order, roles }) => {
      const names = each.map((_, at) => `u.${at}`);
      const namespace = await seeded(Object.fromEntries(each.map((size, at) => [`u.${at}`, size])));
      const filter = messageFilter({ roles: roles as never });
      const single: string[] = [];
      const isDesc = order === MessageOrder.SEQ_DESC;
      for (const sessionId of isDesc ? names.toReversed() : names) {
        const request = { namespace, sessionId, filter, order };
        const { messages } = await server.client.call("listMessages", request);
        single.push(...messages.map(({ text }) => `${sessionId} ${text}`));
      }
      const ask = { namespace, filter, order, pageSize };
      expect(await all({ ...ask, ...filtered() })).toEqual(single);
      const ids = isDesc ? names.toReversed() : names;
      expect(await all({ ...ask, ...named(...ids) })).toEqual(single);
      const request = { ...ask, ...filtered(), includeTotal: true };
      const { total } = await server.client.call("listMessages", request);
      expect(total).toEqual({ count: BigInt(single.length), atLeast: false });
    });
    await fc.assert(check, { numRuns: 15 });
  });
});

describe("a bad request", () => {
  test.each<[string, Partial<ListMessagesRequest>]>([
    ["session_id", {}],
    ["session_id", { sessionId: "s", ...filtered() }],
    ["form", { ...filtered(), form: 1 }],
    ["sessions.session_ids", named()],
    ["sessions.session_ids", named("a", "a")],
    ["sessions.session_ids[0]", named("")],
    ["sessions.session_ids", named(...Array.from({ length: 101 }, (_, at) => `s${at}`))],
    ["sessions.filter", { sessions: { ...filtered().sessions, sessionIds: ["a"] } }],
    ["sessions.filter.user_id", filtered({ userId: "" })],
    ["sessions.filter.metadata[0].test", filtered({ metadata: [{ path: "a", test: undefined }] })],
    [
      "filter.metadata[0].test",
      {
        ...filtered(),
        filter: messageFilter({ metadata: [{ path: "a", test: undefined }] }),
      },
    ],
  ])("names %s", async (field, fields) => {
    const failure = await server.client.fail("listMessages", fields);
    expect(failure.reason).toBe("REQUEST_INVALID");
    expect(failure.fields).toContain(field);
  });

  test("has the token of another one, or a made-up one", async () => {
    const namespace = await seeded({ "ana.1": 3 });
    const { nextPageToken: pageToken } = await server.client.call("listMessages", {
      ...{ namespace, ...filtered(), pageSize: 1 },
    });
    for (const wrong of [
      { namespace, ...filtered({ userId: "ana" }), pageToken },
      { namespace, ...named("ana.1"), pageToken },
      { namespace, ...filtered(), pageToken: "x" },
    ]) {
      const failure = await server.client.fail("listMessages", wrong);
      expect(failure.reason).toBe("PAGE_TOKEN_INVALID");
    }
  });
});
