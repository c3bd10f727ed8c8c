import { describe, expect, test } from "vitest";
import { Struct } from "../gen/google/protobuf/struct.ts";
import { Message } from "../gen/memorysidecar/v1/message.ts";
import { AppendMessagesRequest } from "../gen/memorysidecar/v1/session_service.ts";
import { loadDescriptors } from "./descriptors.ts";
import { digestRequest } from "./request-digest.ts";
import { checkWire, createWireSchemas } from "./wire.ts";

const schemas = createWireSchemas(loadDescriptors());
const schema = schemas.get(".memorysidecar.v1.AppendMessagesRequest") ?? { fields: [] };
const REQUEST_ID = 6;

/** The wire form of a request with free-form data whose keys come in an order. */
function request(fields: {
  readonly keys?: readonly string[];
  readonly labels?: readonly string[];
  readonly text?: string;
  readonly requestId?: string;
}): Uint8Array {
  const inner = { [(fields.keys ?? [])[0] ?? "k"]: 1, z: [1, { q: 1, p: 2 }] };
  const object = Object.fromEntries((fields.keys ?? []).map((key) => [key, inner]));
  const message = {
    ...Message.decode(new Uint8Array(0)),
    text: fields.text ?? "",
    labels: new Map((fields.labels ?? []).map((key) => [key, key])),
    metadata: Buffer.from(Struct.encode(Struct.wrap(object)).finish()),
  };
  return AppendMessagesRequest.encode({
    ...AppendMessagesRequest.decode(new Uint8Array(0)),
    sessionId: "s",
    messages: [message],
    requestId: fields.requestId ?? "",
  }).finish();
}

function digest(bytes: Uint8Array, method = "AppendMessages"): string {
  const hasMaps = checkWire(bytes, schema)?.hasMaps === true;
  const leftOut = new Set([REQUEST_ID]);
  return digestRequest({ method, bytes, hasMaps, schema, leftOut });
}

describe("the digest of a request", () => {
  test("does not depend on the order of labels and of keys in free-form data", () => {
    const one = request({ keys: ["a", "b", "c"], labels: ["x", "y"] });
    const other = request({ keys: ["c", "a", "b"], labels: ["y", "x"] });
    expect(Buffer.compare(one, other)).not.toBe(0);
    // The inner object is named after the first key, so that the two differ in what they say.
    const same = request({ keys: ["a", "c", "b"], labels: ["y", "x"] });
    expect(digest(one)).toBe(digest(same));
    expect(digest(one)).not.toBe(digest(other));
  });

  test("leaves out the request id, and nothing else", () => {
    expect(digest(request({ requestId: "1" }))).toBe(digest(request({ requestId: "2" })));
    expect(digest(request({ text: "1" }))).not.toBe(digest(request({ text: "2" })));
    expect(digest(request({ labels: ["a"] }))).not.toBe(digest(request({ labels: ["b"] })));
    expect(digest(request({ keys: ["a"] }))).not.toBe(digest(request({ keys: ["b"] })));
    expect(digest(request({}))).not.toBe(digest(request({}), "ResetSession"));
  });

  test("leaves out the request id in a request without maps, wherever it stands", () => {
    const session = Buffer.from([0x12, 1, 0x73]);
    const id = Buffer.from([0x32, 1, 0x31]);
    const alone = digest(session);
    expect(digest(Buffer.concat([id, session]))).toBe(alone);
    expect(digest(Buffer.concat([session, id]))).toBe(alone);
    expect(digest(Buffer.concat([id, session, id]))).toBe(alone);
  });
});
