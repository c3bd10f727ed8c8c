// Goal: what stands in the window only is there after a restart, counts, and goes where the window
// goes: into forks, out with a trim, away with a reset.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makeTempDir } from "../../test/support/kit/temp-dir.ts";
import { fromBytes, jsonCodec, toBytes } from "../../test/support/services/json-codec.ts";
import { startTestServices, type TestServices } from "../../test/support/services/services.ts";
import { policyOf } from "../../test/support/window/policies.ts";
import { openLmdbStore } from "../store/lmdb/store.ts";
import type { Store } from "../store/store.ts";
import { ROLE } from "../window/rules/types.ts";
import type { Session } from "./rules/session.ts";

const REF = { namespace: "default", sessionId: "s" };

let directory: Awaited<ReturnType<typeof makeTempDir>>;
let store: Store;
let services: TestServices;

async function open(): Promise<void> {
  store = await openLmdbStore({ directory: directory.path, readFacts: jsonCodec.readFacts });
  services = await startTestServices({}, { wrapStore: () => store });
}

async function close(): Promise<void> {
  await services.stop();
  await store.close();
}

beforeEach(async () => {
  directory = await makeTempDir();
  await open();
  await services.sessions.createSession(services.call("CreateSession"), {
    ...REF,
    input: { policy: policyOf([]) },
    encode: () => new Uint8Array(0),
  });
  await services.append(REF.sessionId, [
    { messageId: "a", text: "one" },
    { messageId: "b", text: "two" },
    { messageId: "call", role: ROLE.assistant, callIds: ["c1"] },
    { messageId: "c", text: "three" },
  ]);
  await services.sessions.setSummary(services.call("SetSummary"), {
    ...REF,
    text: "summary",
    replacedMessageIds: ["a", "b"],
    placement: "in-place",
    encode: () => new Uint8Array(0),
  });
  await services.sessions.fillToolResults(services.call("FillToolResults"), {
    ...REF,
    text: "filled",
    newestOnly: false,
    encode: () => new Uint8Array(0),
  });
});

afterEach(async () => {
  await close();
  await directory[Symbol.asyncDispose]();
});

async function look(sessionId = REF.sessionId) {
  const ref = { ...REF, sessionId };
  const texts = await services.windowTexts(sessionId);
  const { fields } = await services.sessions.getSession(services.call("GetSession"), ref);
  const { window } = await services.sessions.getWindow(services.call("GetWindow"), ref);
  const inserts = fields.inserts.map((insert) => ({ ...insert, bytes: fromBytes(insert.bytes) }));
  return { texts, window, inserts };
}

describe("what stands in the window only", () => {
  test("is there after a restart", async () => {
    const before = await look();
    expect(before.texts).toEqual(["summary", "", "filled", "three"]);
    expect(before.window.messageCount).toBe(4);
    expect(before.inserts.map(({ ranges }) => ranges)).toEqual([[{ first: 1, last: 2 }], []]);
    await close();
    await open();
    expect(await look()).toEqual(before);
  });

  test("goes along into a fork", async () => {
    await services.sessions.forkSession(services.call("ForkSession"), {
      namespace: REF.namespace,
      sourceSessionId: REF.sessionId,
      sessionId: "fork",
      encode: () => new Uint8Array(0),
    });
    expect((await look("fork")).texts).toEqual(["summary", "", "filled", "three"]);
  });

  test("goes with a trim, and leaves the rest where it is", async () => {
    await services.sessions.trimSession(services.call("TrimSession"), {
      ...REF,
      target: { kind: "messages", maxMessages: 2 },
      unit: "message",
      discard: false,
      etag: "",
      encode: () => new Uint8Array(0),
    });
    const { texts, inserts } = await look();
    expect(texts).toEqual(["summary", "three"]);
    expect(inserts.map(({ kind }) => kind)).toEqual(["summary"]);
    await services.sessions.restoreMessages(services.call("RestoreMessages"), {
      ...REF,
      messageIds: ["call", "b"],
      ranges: [],
      encode: () => new Uint8Array(0),
    });
    expect((await look()).texts).toEqual(["summary", "two", "", "three"]);
  });

  test("is gone after a reset", async () => {
    const bytes = await services.sessions.resetSession(services.call("ResetSession"), {
      ...REF,
      keepSystemMessages: false,
      keepFirstSystemMessage: false,
      keepSummary: false,
      etag: "",
      encode: ({ session }) => toBytes(session),
    });
    expect(fromBytes<Session>(bytes).fields.inserts).toEqual([]);
    expect((await look()).texts).toEqual([]);
  });
});
