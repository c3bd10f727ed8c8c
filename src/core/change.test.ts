import { afterEach, beforeEach, expect, test } from "vitest";
import { fromBytes, toBytes } from "../../test/support/services/json-codec.ts";
import { startTestServices, type TestServices } from "../../test/support/services/services.ts";
import { revisionOf } from "../../test/support/store/revisions.ts";

let services: TestServices;
const ref = { namespace: "default", sessionId: "s" };

beforeEach(async () => {
  services = await startTestServices();
});

afterEach(async () => {
  await services.stop();
  await services.store.close();
});

function deleteSession(requestId: string): Promise<Uint8Array> {
  return services.sessions.deleteSession(services.call("DeleteSession", requestId), {
    ...ref,
    etag: "",
    allowMissing: true,
    encode: toBytes,
  });
}

function deleteMessage(messageId: string, requestId: string): Promise<Uint8Array> {
  return services.sessions.deleteMessage(services.call("DeleteMessage", requestId), {
    ...ref,
    messageId,
    etag: "",
    allowMissing: true,
    encode: toBytes,
  });
}

test("a repeat of a deletion that found no session deletes none later", async () => {
  expect(fromBytes(await deleteSession("r"))).toEqual({ revision: 0 });
  await services.append("s", [{ text: "a" }]);
  expect(fromBytes(await deleteSession("r"))).toEqual({ revision: 0 });
  expect(await services.windowTexts("s")).toEqual(["a"]);
  expect(await revisionOf(services.store)).toBe(1);
});

test("a repeat of a deletion that found no message deletes none later", async () => {
  await services.append("s", [{ text: "a" }]);
  const first = await deleteMessage("b", "r");
  await services.append("s", [{ messageId: "b", text: "b" }]);
  expect(await deleteMessage("b", "r")).toEqual(first);
  expect(await services.windowTexts("s")).toEqual(["a", "b"]);
});

test("a repeat of a deletion that found no consumer deletes none later", async () => {
  const consumer = { namespace: "default", consumerId: "c" };
  const remove = (): Promise<Uint8Array> =>
    services.events.deleteConsumer(services.call("DeleteConsumer", "r"), {
      ...consumer,
      allowMissing: true,
      encode: () => new Uint8Array(0),
    });
  await remove();
  await services.events.createConsumer(services.call("CreateConsumer"), {
    ...consumer,
    start: { kind: "now" },
    encode: toBytes,
  });
  await remove();
  const found = await services.events.getConsumer(services.call("GetConsumer"), consumer);
  expect(found.consumerId).toBe("c");
});
