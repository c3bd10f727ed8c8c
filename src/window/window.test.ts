import { afterEach, beforeEach, expect, test } from "vitest";
import type { JsonMessage } from "../../test/support/services/json-codec.ts";
import {
  startTestServices,
  storeWith,
  type TestServices,
} from "../../test/support/services/services.ts";
import { storeFull, windowFull } from "../kit/errors.ts";
import type { Store } from "../store/store.ts";
import { DEFAULT_POLICY_PARTS, DEFAULT_STAGE, type Policy } from "./policy/policy.ts";

const REF = { namespace: "default", sessionId: "s" };

/** Reads keep the newest two messages, in the stored window too. */
const POLICY: Policy = {
  ...DEFAULT_POLICY_PARTS,
  stages: [
    {
      ...DEFAULT_STAGE,
      name: "read",
      on: "read",
      unit: "message",
      select: { kind: "keep-last", unitCount: 2 },
    },
  ],
};

let services: TestServices;
let fault: Error | undefined;

beforeEach(async () => {
  fault = undefined;
  const wrapStore = (store: Store): Store => {
    const changeSession: Store["changeSession"] = async (change, decide) => {
      if (fault !== undefined) throw fault;
      return await store.changeSession(change, decide);
    };
    return storeWith(store, { changeSession });
  };
  services = await startTestServices({}, { wrapStore });
  await services.sessions.createSession(services.call("CreateSession"), {
    ...REF,
    input: { policy: POLICY },
    encode: () => new Uint8Array(),
  });
  const messages: JsonMessage[] = [1, 2, 3, 4].map((n) => ({ text: `${n}` }));
  await services.append(REF.sessionId, messages);
});

afterEach(() => services.stop());

test("a read that would store is answered all the same when the disk is full", async () => {
  fault = storeFull(1, 2);
  const shown = await services.sessions.getWindow(services.call("GetWindow"), REF);
  expect(shown.window.messageCount).toBe(2);
  expect(shown.trims[0]?.removed).toHaveLength(2);
  fault = undefined;
  const session = await services.sessions.getSession(services.call("GetSession"), REF);
  expect(session.head.window.messageCount).toBe(4);
});

test("a read that would store stores once there is room again", async () => {
  fault = storeFull(1, 2);
  const before = await services.sessions.getWindow(services.call("GetWindow"), REF);
  fault = undefined;
  const after = await services.sessions.getWindow(services.call("GetWindow"), REF);
  expect(after.messages).toEqual(before.messages);
  const session = await services.sessions.getSession(services.call("GetSession"), REF);
  expect(session.head.window.messageCount).toBe(2);
});

test("a read that only looks gives what a read that stores gives, and stores nothing", async () => {
  fault = windowFull("a write");
  const looked = await services.sessions.getWindow(services.call("GetWindow"), {
    ...REF,
    readOnly: true,
  });
  fault = undefined;
  const session = await services.sessions.getSession(services.call("GetSession"), REF);
  expect(session.head.window.messageCount).toBe(4);
  const stored = await services.sessions.getWindow(services.call("GetWindow"), REF);
  expect(looked.messages).toEqual(stored.messages);
  expect(looked.trims).toEqual(stored.trims);
});

test("any other failure to store is told", async () => {
  fault = windowFull("1 message");
  const read = services.sessions.getWindow(services.call("GetWindow"), REF);
  await expect(read).rejects.toMatchObject({ reason: "WINDOW_FULL" });
});
