// Goal: a field that a mode or a profile of a request does not use is refused where it is set with
// that mode, by its name; with a mode that uses it, it is taken.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ExtractionPolicy, ExtractionTime } from "../../src/gen/memorysidecar/v1/memory.ts";
import {
  RemovedTo,
  Summarize,
  SummaryFlow,
  TokenRule,
} from "../../src/gen/memorysidecar/v1/policy.ts";
import {
  ContextSection,
  ContextSectionKind,
  FusionMethod,
  RecallMode,
  RecallWeights,
} from "../../src/gen/memorysidecar/v1/recall.ts";
import {
  type RequestOf,
  startContractServer,
  type TestServer,
  type UnaryName,
} from "../support/contract/client.ts";
import { embedding, keepStage, policy, session, written } from "../support/contract/samples.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startContractServer();
});

afterAll(() => server[Symbol.asyncDispose]());

interface Row {
  readonly method: UnaryName;
  readonly field: string;
  /** With a mode that does not use the field. */
  readonly refused: object;
  /** With one that does. */
  readonly taken: object;
}

const NOTHING = new Uint8Array(0);
const EXTRACTION = ExtractionPolicy.decode(NOTHING);
const COMPACT = { sessionId: "s", choice: { $case: "keepRecent", value: 1 } };
const summarizing = (fields: Partial<Summarize>) =>
  session({
    policy: written(
      policy({
        stages: [
          keepStage({
            removedTo: RemovedTo.SUMMARIZE,
            summarize: { ...Summarize.decode(NOTHING), ...fields },
          }),
        ],
      }),
    ),
  });
const section = (fields: Partial<ContextSection>): ContextSection => ({
  ...ContextSection.decode(NOTHING),
  kind: ContextSectionKind.LONG_TERM,
  ...fields,
});
const sections = [section({ share: 0.5, firstShare: 0.1 })];
const weights = RecallWeights.decode(NOTHING);
const customTokenRule = {
  ...{ charsPerToken: 4, rounding: 0, perMessage: 0, perCall: 0, min: 0, contentOnly: false },
};
const runPolicy = { target: { $case: "runPolicy", value: {} } };
const maxMessages = { target: { $case: "maxMessages", value: 3 } };

const COUNTING: readonly (readonly [string, object, TokenRule])[] = [
  ["model", { model: "gpt-4o" }, TokenRule.MODEL],
  ["custom_token_rule", { customTokenRule }, TokenRule.CUSTOM],
  ["token_preset", { tokenPreset: "structured" }, TokenRule.PRESET],
];

const ROWS: readonly Row[] = [
  ...(["countTokens", "assembleContext"] as const).flatMap((method) =>
    COUNTING.map(([field, fields, tokenRule]) => ({
      ...{ method, field, refused: fields, taken: { ...fields, tokenRule } },
    })),
  ),
  {
    method: "assembleContext",
    field: "sections[0].share",
    refused: { sections, profile: "selectools" },
    taken: { sections },
  },
  {
    method: "assembleContext",
    field: "sections[0].first_share",
    refused: { sections, profile: "selectools" },
    taken: { sections },
  },
  {
    method: "recall",
    field: "embedding",
    refused: { embedding: embedding(), mode: RecallMode.LEXICAL },
    taken: { embedding: embedding(), mode: RecallMode.DENSE },
  },
  {
    method: "recall",
    field: "weights",
    refused: { weights, fusion: FusionMethod.RECIPROCAL_RANK },
    taken: { weights },
  },
  {
    method: "recall",
    field: "min_relevance",
    refused: { minRelevance: 0.5, scoring: "overlap" },
    taken: { minRelevance: 0.5 },
  },
  {
    method: "createSession",
    field: "session.policy.policy.stages[0].summarize.max_loops",
    refused: { session: summarizing({ maxLoops: 3 }) },
    taken: { session: summarizing({ maxLoops: 3, flow: SummaryFlow.DENSITY }) },
  },
  {
    method: "compactSession",
    field: "summarize.fan_in",
    refused: { ...COMPACT, summarize: { ...Summarize.decode(NOTHING), fanIn: 3 } },
    taken: { ...COMPACT, summarize: Summarize.decode(NOTHING) },
  },
  {
    method: "extractMemories",
    field: "extraction.on",
    refused: { text: "x", extraction: { ...EXTRACTION, on: ExtractionTime.TRIM } },
    taken: { text: "x", extraction: EXTRACTION },
  },
  {
    method: "trimSession",
    field: "discard",
    refused: { sessionId: "s", discard: true, ...runPolicy },
    taken: { sessionId: "s", discard: true, ...maxMessages },
  },
];

describe("a field that nothing would use", () => {
  test.each(ROWS.map((row) => [row.method, row.field, row] as const))(
    "%s refuses %s, and takes it where it counts",
    async (method, field, { refused, taken }) => {
      const failure = await server.client.fail(method, refused as Partial<RequestOf<UnaryName>>);
      expect(failure).toMatchObject({ code: "INVALID_ARGUMENT", reason: "REQUEST_INVALID" });
      expect(failure.fields).toContain(field);
      const fields = await server.client.call(method, taken as Partial<RequestOf<UnaryName>>).then(
        () => [],
        ({ failure: other }: { readonly failure: { readonly fields: readonly string[] } }) =>
          other.fields,
      );
      expect(fields).not.toContain(field);
    },
  );
});

describe("compaction_threshold", () => {
  test.each(["", "selectools", "lauren", "definable"])(
    "counts with the profile %j",
    async (name) => {
      const budgetAt = async (compactionThreshold: number) => {
        const asked = { profile: name, maxTokens: 1_000, compactionThreshold };
        return (await server.client.call("assembleContext", asked)).budgetTokens;
      };
      expect(await budgetAt(0.5)).toBe(500);
      expect(await budgetAt(1)).toBe(1_000);
    },
  );
});
