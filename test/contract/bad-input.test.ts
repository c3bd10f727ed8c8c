// Goal: no bytes that a caller can send do harm. For every method: bytes that are no message, wire
// types that do not fit, messages cut short, text that is not UTF-8, and random bytes, all of which
// must give a documented error, write nothing, and leave the server serving.

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DESTRUCTIVE_REQUESTS } from "../../src/gen/checks.ts";
import { Role } from "../../src/gen/memorysidecar/v1/message.ts";
import { TokenRule } from "../../src/gen/memorysidecar/v1/policy.ts";
import { loadDescriptors } from "../../src/grpc/descriptors.ts";
import {
  type Failure,
  METHODS,
  type MethodName,
  requestBytes,
  startContractServer,
  type TestServer,
  type UnaryName,
} from "../support/contract/client.ts";
import {
  deepStruct,
  field,
  message,
  policy,
  session,
  soundBytes,
} from "../support/contract/samples.ts";
import { revisionOf } from "../support/store/revisions.ts";

const UNARY = (Object.keys(METHODS) as MethodName[]).filter(
  (name): name is UnaryName => name !== "watchEvents",
);

let server: TestServer;

beforeAll(async () => {
  server = await startContractServer();
  await server.client.call("appendMessages", {
    sessionId: "seed",
    createSession: true,
    messages: [message({ messageId: "first", text: "one" })],
  });
  await server.client.call("createConsumer", { consumerId: "seed" });
});

afterAll(() => server[Symbol.asyncDispose]());

/** Sends bytes and expects one failure that changes nothing. */
async function refuse(method: UnaryName, bytes: Buffer, reason: string): Promise<Failure> {
  const before = await revisionOf(server.store);
  const outcome = await server.client.raw(method, bytes);
  if (!("failure" in outcome)) throw new Error(`${method} took ${bytes.toString("hex")}`);
  expect(outcome.failure).toMatchObject({
    code: "INVALID_ARGUMENT",
    reason,
    domain: "memorysidecar.io",
  });
  expect(await revisionOf(server.store)).toBe(before);
  return outcome.failure;
}

async function expectAlive(): Promise<void> {
  const window = await server.client.call("getWindow", { sessionId: "seed" });
  expect(window.messages.length).toBeGreaterThan(0);
}

/** The requests without a namespace, the first field of all others, each with the reason. */
const WITHOUT_NAMESPACE: Readonly<Partial<Record<MethodName, string>>> = {
  backUp: "backs up all namespaces",
  compactStore: "compacts all namespaces",
  getServerInfo: "tells about the server",
  listNamespaces: "lists them",
  listPolicyPresets: "the presets are part of the server",
};
const WITH_NAMESPACE = UNARY.filter((name) => !(name in WITHOUT_NAMESPACE));

const DESCRIPTORS = loadDescriptors().file.filter(({ package: of }) => of === "memorysidecar.v1");
const RPCS = DESCRIPTORS.flatMap(({ service }) => service.flatMap(({ method }) => method));
const rpcName = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1);
/** The methods whose sound request deletes what is stored. */
const DESTRUCTIVE: ReadonlySet<string> = new Set(
  RPCS.flatMap(({ inputType, name }) => {
    const method = rpcName(name) as UnaryName;
    const destroys = DESTRUCTIVE_REQUESTS.get(inputType);
    const isMeant = destroys?.(METHODS[method].requestDeserialize(soundBytes(method))) === true;
    return isMeant ? [method] : [];
  }),
);

const MALFORMED: readonly (readonly [string, Buffer])[] = [
  ["a varint where a text belongs", Buffer.from([0x08, 1])],
  ["a fixed64 where a text belongs", Buffer.from([0x09, 1, 2, 3, 4, 5, 6, 7, 8])],
  ["text that is not UTF-8", Buffer.from([0x0a, 2, 0xc3, 0x28])],
  ["an encoded surrogate", Buffer.from([0x0a, 3, 0xed, 0xa0, 0x80])],
  ["text longer than the message", Buffer.from([0x0a, 5, 0x61])],
  ["a length beyond 32 bits", Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0x61])],
  ["a tag that is cut short", Buffer.from([0x8a])],
  ["a tag of eleven bytes", Buffer.alloc(11, 0xff)],
  ["field number 0", Buffer.from([0x02, 1, 0x61])],
  ["a group", Buffer.from([0xa3, 6, 0xa4, 6])],
  ["the end of a group", Buffer.from([0x0c])],
  ["wire type 6", Buffer.from([0x0e])],
];

describe("a namespace", () => {
  const requests = new Map(
    DESCRIPTORS.flatMap(({ messageType }) =>
      messageType.map((type): [string, typeof type] => [`.memorysidecar.v1.${type.name}`, type]),
    ),
  );

  test("is the first field of every request but those that are about the server", () => {
    const without = RPCS.filter(({ inputType }) => {
      const [first] = requests.get(inputType)?.field ?? [];
      return first?.name !== "namespace" || first.number !== 1;
    });
    const names = without.map(({ name }) => rpcName(name));
    expect(names.sort()).toEqual(Object.keys(WITHOUT_NAMESPACE).sort());
  });
});

describe.each(WITH_NAMESPACE)("%s", (method) => {
  test.each(MALFORMED)("refuses %s", async (_, bytes) => {
    await refuse(method, bytes, "REQUEST_MALFORMED");
  });

  test("refuses its sound request cut short", async () => {
    const sound = Buffer.concat([field(0x0a, Buffer.from("default")), soundBytes(method)]);
    await refuse(method, sound.subarray(0, 4), "REQUEST_MALFORMED");
    await refuse(method, sound.subarray(0, sound.length - 1), "REQUEST_MALFORMED");
    await expectAlive();
  });

  const isDestructive = DESTRUCTIVE.has(method);
  test(`${isDestructive ? "refuses" : "ignores"} fields that it does not know`, async () => {
    const unknown = Buffer.from([0xf8, 0x3f, 1]);
    const bytes = Buffer.concat([soundBytes(method), unknown]);
    if (isDestructive) {
      const failure = await refuse(method, bytes, "REQUEST_INVALID");
      expect(failure.fields).toEqual(["1023"]);
      return;
    }
    const outcome = await server.client.raw(method, bytes);
    const reason = "failure" in outcome ? outcome.failure.reason : "";
    expect(["REQUEST_MALFORMED", "REQUEST_INVALID"]).not.toContain(reason);
  });

  test("refuses a namespace that is none", async () => {
    for (const text of ["A", "a_b", "-a", "a-", "0a", "a".repeat(64), "é"]) {
      const bytes = Buffer.concat([soundBytes(method), field(0x0a, Buffer.from(text))]);
      const failure = await refuse(method, bytes, "REQUEST_INVALID");
      expect(failure.fields).toContain("namespace");
    }
  });
});

describe("any method", () => {
  test("answers random bytes with an answer or a documented failure", async () => {
    const codes = new Set(["INVALID_ARGUMENT", "NOT_FOUND", "ALREADY_EXISTS"]);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...WITH_NAMESPACE),
        fc.uint8Array({ minLength: 1, maxLength: 64 }),
        async (method, bytes) => {
          const outcome = await server.client.raw(method, Buffer.from(bytes));
          if ("failure" in outcome) {
            expect(codes).toContain(outcome.failure.code);
            expect(outcome.failure.reason).not.toBe("");
          }
        },
      ),
      { numRuns: 1_500 },
    );
    await expectAlive();
  });

  test("answers sound requests with one byte changed", async () => {
    const codes = new Set([
      "INVALID_ARGUMENT",
      "NOT_FOUND",
      "ALREADY_EXISTS",
      "OUT_OF_RANGE",
      "ABORTED",
      "FAILED_PRECONDITION",
    ]);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...WITH_NAMESPACE),
        fc.nat(),
        fc.integer({ min: 0, max: 255 }),
        async (method, place, byte) => {
          const bytes = Buffer.from(soundBytes(method));
          bytes[place % bytes.length] = byte;
          const outcome = await server.client.raw(method, bytes);
          if ("failure" in outcome) expect(codes).toContain(outcome.failure.code);
        },
      ),
      { numRuns: 1_500 },
    );
    await expectAlive();
  });

  test("takes a message above 4 MiB for too large", async () => {
    const outcome = await server.client.raw("getSession", field(0x12, Buffer.alloc(4_194_304)));
    expect("failure" in outcome && outcome.failure.code).toBe("RESOURCE_EXHAUSTED");
    await expectAlive();
  });
});

describe.each(Object.keys(WITHOUT_NAMESPACE) as UnaryName[])("%s", (method) => {
  test("refuses bytes that are no message", async () => {
    await refuse(method, Buffer.from([0x0a, 9]), "REQUEST_MALFORMED");
    await expectAlive();
  });
});

describe("WatchEvents", () => {
  test.each(MALFORMED)("refuses %s", async (_, bytes) => {
    const failure = await server.client.failStream(bytes);
    expect(failure).toMatchObject({ code: "INVALID_ARGUMENT", reason: "REQUEST_MALFORMED" });
  });

  test("refuses a request without a start, and a namespace that is none", async () => {
    expect(await server.client.failStream(Buffer.alloc(0))).toMatchObject({ fields: ["start"] });
    const bytes = requestBytes("watchEvents", {
      namespace: "No",
      start: { $case: "position", value: 1 },
    });
    expect(await server.client.failStream(bytes)).toMatchObject({ fields: ["namespace"] });
  });
});

describe("nested messages", () => {
  const append = (bytes: Buffer): Buffer =>
    Buffer.concat([field(0x12, Buffer.from("seed")), field(0x1a, bytes)]);

  test.each<readonly [string, Buffer]>([
    ["a role that is a text", Buffer.from([0x1a, 1, 0x61])],
    ["a text that runs over the end of its message", Buffer.from([0x18, 1, 0x2a, 9, 0x61])],
    ["a label that is cut short", Buffer.from([0x18, 1, 0x72, 3, 0x0a, 5, 0x61])],
    ["a label that is not UTF-8", Buffer.from([0x18, 1, 0x72, 3, 0x0a, 1, 0xff])],
    ["metadata that is no Struct", Buffer.from([0x18, 1, 0x6a, 2, 0x08, 1])],
    [
      "a Struct with text that is not UTF-8",
      Buffer.from([0x18, 1, 0x6a, 5, 0x0a, 3, 0x0a, 1, 0xff]),
    ],
    ["a Struct that is cut short", Buffer.from([0x18, 1, 0x6a, 3, 0x0a, 9, 0x0a])],
  ])("are refused with %s", async (_, bytes) => {
    await refuse("appendMessages", append(bytes), "REQUEST_MALFORMED");
    await expectAlive();
  });

  test("may not be nested without end", async () => {
    const bytes = requestBytes("appendMessages", {
      sessionId: "seed",
      messages: [message({ metadata: deepStruct(3_000) })],
    });
    const failure = await refuse("appendMessages", bytes, "REQUEST_INVALID");
    expect(failure.fields).toEqual(["messages[0].metadata"]);
    await expectAlive();
  });

  test("keep keys such as __proto__ as plain text", async () => {
    const key = Buffer.from("__proto__");
    const metadata = field(
      0x0a,
      Buffer.concat([field(0x0a, key), field(0x12, Buffer.from([0x20, 1]))]),
    );
    const labels = new Map([["__proto__", "x"]]);
    await server.client.call("createSession", {
      session: session({ sessionId: "proto", metadata, labels }),
    });
    const found = await server.client.call("getSession", { sessionId: "proto" });
    expect(found.session?.metadata.equals(metadata)).toBe(true);
    expect(found.session?.labels).toEqual(labels);
  });
});

describe("a request with several faults", () => {
  const append = (count: number, fields: Parameters<typeof message>[0], sessionId: string) =>
    server.client.fail("appendMessages", {
      sessionId,
      messages: Array.from({ length: count }, () => message(fields)),
    });

  test("names each of them, and says how many there are", async () => {
    const failure = await append(3, { role: Role.UNSPECIFIED }, "seed");
    expect(failure.reason).toBe("REQUEST_INVALID");
    expect(failure.fields).toEqual(["messages[0].role", "messages[1].role", "messages[2].role"]);
    expect(failure.message).toMatch(/^messages\[0\]\.role: .* \(and 2 more\)$/);
  });

  test("names the first 20 of a thousand, and says that the search ended there", async () => {
    const failure = await append(1_000, { role: Role.UNSPECIFIED }, "seed");
    expect(failure.fields).toHaveLength(20);
    expect(failure.message).toMatch(/ \(and 19 more; the search ended there\)$/);
  });

  test("says how many there are beyond the 20 that it names, when it knows", async () => {
    const given = session({
      sessionId: "given",
      policy: policy({ tokenRule: TokenRule.GIVEN }),
    });
    await server.client.call("createSession", { session: given });
    const failure = await append(1_000, {}, "given");
    expect(failure.fields).toHaveLength(20);
    expect(failure.fields[0]).toBe("messages[0].token_count");
    expect(failure.message).toMatch(/ \(and 999 more\)$/);
  });
});
