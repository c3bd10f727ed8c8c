// Goal: a restore holds over what others change between its search and its decision.

import { afterEach, describe, expect, test } from "vitest";
import { fromBytes, toBytes } from "../../test/support/services/json-codec.ts";
import {
  startTestServices,
  storeWith,
  type TestServices,
} from "../../test/support/services/services.ts";
import { dropOldest, policyOf, stageOf } from "../../test/support/window/policies.ts";
import type { Store } from "../store/store.ts";
import { ROLE } from "../window/rules/types.ts";

const REF = { namespace: "default", sessionId: "s" };

let services: TestServices;

afterEach(() => services.stop());

/** Services of a session with an open call outside the window; runs something before a decision. */
async function start(meanwhile: (times: number) => Promise<void>): Promise<void> {
  let times = 0;
  // Until the session is there, and while the change in between runs itself.
  let inside = true;
  const wrapStore = (store: Store): Store => {
    const changeSession: Store["changeSession"] = async (change, decide) => {
      if (!inside && change.messageIds?.includes("call") === true) {
        inside = true;
        await meanwhile(times++);
        inside = false;
      }
      return await store.changeSession(change, decide);
    };
    return storeWith(store, { changeSession });
  };
  services = await startTestServices({}, { wrapStore });
  await services.sessions.createSession(services.call("CreateSession"), {
    ...REF,
    input: { policy: policyOf([]) },
    encode: () => new Uint8Array(0),
  });
  await services.append(REF.sessionId, [
    { messageId: "call", role: ROLE.assistant, callIds: ["c1"] },
    { messageId: "next", text: "next" },
  ]);
  await services.sessions.trimSession(services.call("TrimSession"), {
    ...REF,
    target: { kind: "messages", maxMessages: 1 },
    unit: "message",
    discard: false,
    etag: "",
    encode: () => new Uint8Array(0),
  });
  inside = false;
}

async function restore(...messageIds: string[]): Promise<string[]> {
  const bytes = await services.sessions.restoreMessages(services.call("RestoreMessages"), {
    ...REF,
    messageIds,
    ranges: [],
    encode: (result) => toBytes(result.messageIds),
  });
  return fromBytes<string[]>(bytes);
}

async function windowIds(): Promise<string[]> {
  const now = await services.store.readWindow(REF);
  return (now?.window ?? []).map(({ messageId }) => messageId);
}

describe("RestoreMessages", () => {
  test("brings a result that came while it looked", async () => {
    await start(async (times) => {
      if (times > 0) return;
      const late = { messageId: "late", role: ROLE.tool, toolCallId: "c1" };
      await services.append(REF.sessionId, [late]);
    });
    expect(await windowIds()).toEqual(["next"]);
    expect(await restore("call")).toEqual(["call", "late"]);
    expect(await windowIds()).toEqual(["call", "next", "late"]);
  });

  test("refuses a message that was deleted while it looked", async () => {
    await start(async (times) => {
      if (times > 0) return;
      await services.sessions.deleteMessage(services.call("DeleteMessage"), {
        ...REF,
        messageId: "call",
        etag: "",
        allowMissing: false,
        encode: () => new Uint8Array(0),
      });
    });
    await expect(restore("call")).rejects.toMatchObject({ reason: "MESSAGE_NOT_FOUND" });
  });

  test("goes on in a session that never rests", async () => {
    let changes = 0;
    await start(async () => {
      changes += 1;
      await services.append(REF.sessionId, [{ text: "busy" }]);
    });
    expect(await restore("call")).toEqual(["call"]);
    expect(changes).toBe(8);
  });

  test("loads no more messages than it may need to say that a window is full", async () => {
    let loaded = 0;
    const wrapStore = (store: Store): Store => {
      const changeSession: Store["changeSession"] = (change, decide) => {
        loaded = change.messageIds?.length ?? 0;
        return store.changeSession(change, decide);
      };
      return storeWith(store, { changeSession });
    };
    services = await startTestServices({}, { wrapStore });
    const policy = policyOf([stageOf({ select: dropOldest({ maxMessages: 1 }) })]);
    await services.sessions.createSession(services.call("CreateSession"), {
      ...REF,
      input: { policy },
      encode: () => new Uint8Array(0),
    });
    const text = "x".repeat(900_000);
    const messageIds = Array.from({ length: 8 }, (_, index) => `m${index}`);
    for (const messageId of messageIds) await services.append(REF.sessionId, [{ messageId, text }]);
    await expect(restore(...messageIds)).rejects.toMatchObject({ reason: "WINDOW_FULL" });
    expect(loaded).toBe(0);
    await expect(restore(...messageIds.slice(0, 4))).rejects.toMatchObject({
      reason: "WINDOW_FULL",
    });
    expect(loaded).toBe(4);
    expect(await restore("m0")).toEqual(["m0"]);
  });
});
