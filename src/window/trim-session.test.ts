import { afterEach, beforeEach, expect, test } from "vitest";
import { fromBytes, toBytes } from "../../test/support/services/json-codec.ts";
import { startTestServices, type TestServices } from "../../test/support/services/services.ts";
import { dropOldest, policyOf, stageOf } from "../../test/support/window/policies.ts";
import { EVENT_TYPE } from "../events/rules/event.ts";

let services: TestServices;

beforeEach(async () => {
  services = await startTestServices();
});

afterEach(() => services.stop());

/** Runs the stages on request; gives the answer's limit and its revision. */
async function runPolicy(): Promise<{ overLimit: boolean; revision: number }> {
  const bytes = await services.sessions.trimSession(services.call("TrimSession"), {
    namespace: "default",
    sessionId: "s",
    target: { kind: "policy" },
    unit: "message",
    discard: false,
    etag: "",
    encode: ({ overLimit, revision }) => toBytes({ overLimit, revision }),
  });
  return fromBytes(bytes);
}

test("a limit that holds again is noticed, so that the next warning is told", async () => {
  const stage = stageOf({ name: "r", on: "request", select: dropOldest({ maxMessages: 1 }) });
  const protections = { system: "none", pinFirst: 0, pinIds: [], minMessages: 2, lastUser: false };
  const policy = policyOf([stage], { protections } as Parameters<typeof policyOf>[1]);
  await services.sessions.createSession(services.call("CreateSession"), {
    namespace: "default",
    sessionId: "s",
    input: { policy },
    encode: () => toBytes({}),
  });
  await services.append("s", [{ messageId: "a" }, { messageId: "b" }]);
  expect((await runPolicy()).overLimit).toBe(true);
  await services.sessions.deleteMessage(services.call("DeleteMessage"), {
    namespace: "default",
    sessionId: "s",
    messageId: "a",
    etag: "",
    allowMissing: false,
    encode: () => toBytes({}),
  });
  expect((await runPolicy()).overLimit).toBe(false);
  const { revision } = await runPolicy();
  expect((await runPolicy()).revision).toBe(revision);
  await services.append("s", [{ messageId: "c" }]);
  expect((await runPolicy()).overLimit).toBe(true);
  const events = await services.allEvents();
  expect(events.filter(({ detail }) => detail.type === EVENT_TYPE.policyWarned)).toHaveLength(2);
});
