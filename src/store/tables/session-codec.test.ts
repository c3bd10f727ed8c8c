import { describe, expect, test } from "vitest";
import { newFields, newInsert, START_MS } from "../../../test/support/store/plans.ts";
import { SessionRecord } from "../../gen/memorysidecar/storage/v1/records.ts";
import { TRUST } from "../../summary/rules/summary.ts";
import {
  DEFAULT_MEMORY_POLICY,
  DEFAULT_PROMOTION,
  type ExtractionPolicy,
  type PromotionPolicy,
} from "../../window/policy/memory-policy.ts";
import { DEFAULT_POLICY, DEFAULT_POLICY_PARTS, DEFAULT_STAGE } from "../../window/policy/policy.ts";
import { DEFAULT_SUMMARY_SPEC, MANUAL_HOOK } from "../../window/policy/summary-spec.ts";
import { unseal } from "../engine/envelope.ts";
import { SESSION } from "./session-tables.ts";

const ROW = { sessionNo: 7, namespace: "n", sessionId: "s" };

function roundTrip(fields: ReturnType<typeof newFields>) {
  return SESSION.decode(unseal("k", SESSION.encode("k", { ...ROW, fields }), "test"));
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
      newInsert({ position: 2 ** 40 + 0.8, kind: "request", version: 2 ** 50, ranges: [] }),
      newInsert({
        position: 2 ** 40 + 0.9,
        version: 2 ** 50,
        hook: "h\u00f6ok",
        stage: "stage",
        level: 4,
        trust: TRUST.low,
      }),
    ],
  });
  const withoutBytes = ({ inserts }: Pick<typeof fields, "inserts">) =>
    inserts.map(({ bytes: _, ...insert }) => insert);
  expect(withoutBytes(roundTrip(fields).fields)).toStrictEqual(withoutBytes(fields));
  const positions = roundTrip(fields).fields.inserts.map(({ position }) => position);
  expect(positions).toEqual(fields.inserts.map(({ position }) => position));
  const texts = roundTrip(fields).fields.inserts.map(({ bytes }) => Buffer.from(bytes).toString());
  expect(texts).toEqual(fields.inserts.map(({ bytes }) => Buffer.from(bytes).toString()));
});

test("a session comes back with what it gives to long-term memory, the same object each time", () => {
  const extraction: ExtractionPolicy = {
    ...{ hook: "finder", instructions: "i", supersede: false },
    ...{ on: "trim", targets: ["facts"] },
  };
  const promotion: PromotionPolicy = {
    ...{ selection: "user-statements", importanceThreshold: 0.5, scoreHook: "judge" },
    importanceRules: [{ name: "n", phrases: ["a (b|c)?"], score: 0.25 }],
    markedStagesOnly: true,
  };
  const episodes = { retentionDays: 3 };
  const memoryPolicy = { ...DEFAULT_MEMORY_POLICY, promotion, episodes, extraction };
  const first = roundTrip(newFields({ memoryPolicy })).fields.memoryPolicy;
  expect(first).toStrictEqual(memoryPolicy);
  // Its compiled rules are kept with it.
  expect(roundTrip(newFields({ memoryPolicy: { ...memoryPolicy } })).fields.memoryPolicy).toBe(
    first,
  );
  expect(roundTrip(newFields({ memoryPolicy: DEFAULT_MEMORY_POLICY })).fields.memoryPolicy).toEqual(
    DEFAULT_MEMORY_POLICY,
  );
  expect(roundTrip(newFields({})).fields.memoryPolicy).toBeUndefined();
});

describe("what a session gave to long-term memory before promotion and episodes had policies", () => {
  const read = (memoryPolicyJson: string) =>
    SESSION.decode(
      SessionRecord.encode({
        ...SessionRecord.decode(new Uint8Array(0)),
        ...{ policyJson: "{}", memoryPolicyJson },
      }).finish(),
    ).fields.memoryPolicy;
  const importanceRules = [{ name: "birth", phrases: ["my birthday"], score: 0.95 }];
  const old = {
    ...{ autoPromote: true, importanceThreshold: 0.4, importanceRules, scoreHook: "judge" },
    ...{ longTermLimit: 50, episodes: true, episodicRetentionDays: 3_650 },
    ...{ entityLimit: 9, relationLimit: 200, agentScope: true },
  };
  const limits = { longTermLimit: 50, entityLimit: 9, relationLimit: 200, agentScope: true };

  test("is given as before: any text is promoted, and turns become episodes", () => {
    const promotion = {
      ...{ selection: "any-text", importanceThreshold: 0.4, importanceRules },
      ...{ scoreHook: "judge", markedStagesOnly: false },
    };
    expect(read(JSON.stringify(old))).toStrictEqual({
      ...{ ...limits, promotion, episodes: { retentionDays: 3_650 }, extraction: undefined },
      onSourceErased: "forget",
    });
  });

  test("is given as before where it was switched off: only by the stages that promote", () => {
    const off = { ...old, autoPromote: false, episodes: false };
    expect(read(JSON.stringify(off))).toMatchObject({
      promotion: { selection: "any-text", importanceThreshold: 0.4, markedStagesOnly: true },
      episodes: undefined,
    });
  });

  test("is given by the defaults of then where it said nothing", () => {
    expect(read(JSON.stringify({ autoPromote: true }))).toStrictEqual({
      ...DEFAULT_MEMORY_POLICY,
      promotion: { ...DEFAULT_PROMOTION, selection: "any-text" },
      episodes: { retentionDays: 30 },
    });
  });
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
      stages: ["turns", "assistant_turns"].map((name, index) => ({
        name,
        on: "append",
        anyOf: [
          { kind: "message-count-over", limit: 200 },
          { kind: "token-count-over", limit: 8_000 },
        ],
        unit: index === 0 ? "turn" : "assistant-turn",
        select: { kind: "drop-oldest", maxMessages: 200, maxTokens: 8_000 },
      })),
    }),
    createMs: BigInt(START_MS),
    etagRevision: 1n,
  };
  const row = SESSION.decode(SessionRecord.encode(record).finish());
  // The default policy of that version is the default policy still.
  expect(row.fields.policy).toStrictEqual(DEFAULT_POLICY);
  expect({ ...row, fields: { ...row.fields, metadata: new Uint8Array(0) } }).toEqual({
    ...ROW,
    fields: newFields(),
  });
});

test("an insert of a kind that this version does not know is refused", () => {
  const fields = newFields({ inserts: [newInsert({ position: 1.5 })] });
  const record = SessionRecord.decode(unseal("k", SESSION.encode("k", { ...ROW, fields }), "test"));
  for (const insert of record.inserts) insert.kind = 4;
  expect(() => SESSION.decode(SessionRecord.encode(record).finish())).toThrow("unknown kind");
});

// The record of a session under the key "k", as the version before hooks wrote it.
const OLD_RECORD = [
  "ASjSpXgIBxIBbhoBcyIBdUKIBHsibmFtZSI6Im9sZCIsInRva2VuUnVsZSI6ImJ5dGVzLWRpdi00IiwiaW1hZ2VU",
  "b2tlbkNvdW50Ijo4MDAsIm1vZGVsIjoiIiwiY29udGV4dFdpbmRvdyI6MCwicHJvdGVjdGlvbnMiOnsic3lzdGVt",
  "IjoiYWxsIiwicGluRmlyc3QiOjAsInBpbklkcyI6W10sIm1pbk1lc3NhZ2VzIjoxLCJsYXN0VXNlciI6dHJ1ZX0s",
  "InRvb2xQYWlycyI6Indob2xlIiwic3RhZ2VzIjpbeyJvbiI6ImFwcGVuZCIsImFueU9mIjpbXSwidW5pdCI6Imlu",
  "dGVyYWN0aW9uIiwiY291bnRJZiI6W10sImVmZmVjdCI6InN0b3JlIiwicmVtb3ZlZFRvIjoic3VtbWFyaXplIiwi",
  "bmFtZSI6InN1bSIsInNlbGVjdCI6eyJraW5kIjoia2VlcC1sYXN0IiwidW5pdENvdW50Ijo0fX0seyJvbiI6InJl",
  "YWQiLCJhbnlPZiI6W10sInVuaXQiOiJpbnRlcmFjdGlvbiIsImNvdW50SWYiOltdLCJlZmZlY3QiOiJ2aWV3Iiwi",
  "cmVtb3ZlZFRvIjoibG9nIiwibmFtZSI6ImRyb3AiLCJzZWxlY3QiOnsia2luZCI6ImtlZXAtbGFzdCIsInVuaXRD",
  "b3VudCI6Mn19XX1SEG9sZCBzdW1tYXJ5IPCfmIBYB2AEaIXQlf+8MXICczB4CYABgNCV/7wxiAEBkgE0CQAAAAAA",
  "AAxAEAEaCXN1bW1hcnktMSAMKAEyBnBsYWNlZDoCAQNAgNCV/7wxSIDQlf+8MZIBLwkAAAAAAAAhQBACGghyZXN1",
  "bHQtMSADKAIyBmhlYWxlZECA0JX/vDFIgNCV/7wx",
].join("");

test("a session as the version before hooks stored it has the defaults of what came later", () => {
  const { fields, ...row } = SESSION.decode(unseal("k", Buffer.from(OLD_RECORD, "base64"), "test"));
  expect(row).toEqual(ROW);
  expect(fields.policy).toStrictEqual({
    ...DEFAULT_POLICY_PARTS,
    name: "old",
    stages: [
      {
        ...DEFAULT_STAGE,
        name: "sum",
        select: { kind: "keep-last", unitCount: 4 },
        removedTo: "summarize",
        summarize: { ...DEFAULT_SUMMARY_SPEC, hook: MANUAL_HOOK },
      },
      {
        ...DEFAULT_STAGE,
        name: "drop",
        on: "read",
        effect: "view",
        select: { kind: "keep-last", unitCount: 2 },
      },
    ],
  });
  expect(fields.summary).toStrictEqual({
    text: "old summary \u{1f600}",
    tokenCount: 7,
    version: 4,
    createMs: START_MS + 5,
    ranges: [],
    hook: "",
    stage: "",
    level: 1,
    trust: TRUST.medium,
  });
  expect(fields.summaryVersion).toBe(4);
  const inserts = fields.inserts.map(({ bytes: _, ...insert }) => insert);
  const later = { hook: "", stage: "", version: 0, trust: TRUST.medium };
  const times = { firstMs: START_MS, createMs: START_MS };
  expect(inserts).toStrictEqual([
    {
      position: 3.5,
      kind: "summary",
      messageId: "summary-1",
      tokenCount: 12.25,
      ranges: [{ first: 1, last: 3 }],
      level: 1,
      ...times,
      ...later,
    },
    {
      position: 8.5,
      kind: "result",
      messageId: "result-1",
      tokenCount: 3.5,
      ranges: [],
      level: 0,
      ...times,
      ...later,
    },
  ]);
  expect(Buffer.from(fields.inserts[0]?.bytes ?? []).toString()).toBe("placed");
  // A record that is written back is read as the same.
  expect(roundTrip(fields).fields.summary).toEqual(fields.summary);
  expect(roundTrip(fields).fields.policy).toStrictEqual(fields.policy);
});

test("the summary of a session keeps its own version when others are placed after it", () => {
  const summary = {
    text: "text",
    tokenCount: 3,
    version: 2,
    createMs: 5,
    ranges: [{ first: 2, last: 2 ** 50 }],
    hook: "hook",
    stage: "stage",
    level: 3,
    trust: TRUST.low,
  };
  const found = roundTrip(newFields({ summary, summaryVersion: 9 })).fields;
  expect(found.summary).toStrictEqual(summary);
  expect(found.summaryVersion).toBe(9);
});
