import { expect, test } from "vitest";
import { newFields, newInsert, START_MS } from "../../../test/support/plans.ts";
import { DEFAULT_POLICY } from "../../domain/policy.ts";
import { SessionRecord } from "../../gen/memorysidecar/storage/v1/records.ts";
import { unseal } from "./envelope.ts";
import { decodeSession, encodeSession } from "./session-codec.ts";

const ROW = { sessionNo: 7, namespace: "n", sessionId: "s" };

function roundTrip(fields: ReturnType<typeof newFields>) {
  return decodeSession(unseal("k", encodeSession("k", { ...ROW, fields }), "test"));
}

test("a session comes back with all that stands in its window only", () => {
  const fields = newFields({
    inserts: [
      newInsert({ position: 0.001, tokenCount: 0, ranges: [{ first: 1, last: 1 }] }),
      newInsert({
        position: 2 ** 40 + 0.5,
        kind: "result",
        ranges: [],
        firstMs: -62_135_596_800_000,
      }),
      newInsert({ position: 2 ** 40 + 0.75, tokenCount: 12.75 }),
    ],
  });
  const { bytes: _, ...found } = roundTrip(fields).fields.inserts[1] ?? { bytes: undefined };
  const { bytes: __, ...given } = fields.inserts[1] ?? { bytes: undefined };
  expect(found).toEqual(given);
  const positions = roundTrip(fields).fields.inserts.map(({ position }) => position);
  expect(positions).toEqual(fields.inserts.map(({ position }) => position));
  const texts = roundTrip(fields).fields.inserts.map(({ bytes }) => Buffer.from(bytes).toString());
  expect(texts).toEqual(fields.inserts.map(({ bytes }) => Buffer.from(bytes).toString()));
});

test("a session as the first version stored it is read with an old policy and without inserts", () => {
  const record: SessionRecord = {
    ...SessionRecord.decode(new Uint8Array(0)),
    sessionNo: 7n,
    namespace: "n",
    sessionId: "s",
    policyJson: JSON.stringify({
      tokenRule: "bytes-div-4",
      imageTokenCount: 800,
      protections: { system: "all", pinFirst: 0, minMessages: 1, lastUser: true },
      stages: ["interactions", "rounds"].map((name, index) => ({
        name,
        on: "append",
        anyOf: [
          { kind: "message-count-over", limit: 200 },
          { kind: "token-count-over", limit: 8_000 },
        ],
        unit: index === 0 ? "interaction" : "assistant-round",
        select: { kind: "drop-oldest", maxMessages: 200, maxTokens: 8_000 },
      })),
    }),
    createMs: BigInt(START_MS),
    etagRevision: 1n,
  };
  const row = decodeSession(SessionRecord.encode(record).finish());
  // The default policy of that version is the default policy still.
  expect(row.fields.policy).toStrictEqual(DEFAULT_POLICY);
  expect({ ...row, fields: { ...row.fields, metadata: new Uint8Array(0) } }).toEqual({
    ...ROW,
    fields: newFields(),
  });
});

test("an insert of a kind that this version does not know is refused", () => {
  const fields = newFields({ inserts: [newInsert({ position: 1.5 })] });
  const record = SessionRecord.decode(unseal("k", encodeSession("k", { ...ROW, fields }), "test"));
  for (const insert of record.inserts) insert.kind = 4;
  expect(() => decodeSession(SessionRecord.encode(record).finish())).toThrow("unknown kind");
});
