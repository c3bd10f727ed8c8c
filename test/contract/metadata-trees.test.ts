// Trees of conditions on metadata and labels: every list and search that takes them finds what
// looking at each record finds.

import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DocumentFilter } from "../../src/gen/memorysidecar/v1/document.ts";
import type { LabelCondition, MetadataCondition } from "../../src/gen/memorysidecar/v1/filter.ts";
import { RecallKind } from "../../src/gen/memorysidecar/v1/recall.ts";
import { startContractServer, type TestServer } from "../support/contract/client.ts";
import {
  document,
  memory,
  memoryFilter,
  message,
  messageFilter,
  recallFilter,
} from "../support/contract/samples.ts";
import { struct } from "../support/kit/structs.ts";

type Plain = Readonly<Record<string, string | number>>;

const RECORDS: readonly Plain[] = [
  {},
  { lang: "en" },
  { lang: "en", size: 1 },
  { lang: "de", size: 2 },
  { size: 3 },
  { lang: "pt", size: 2, old: "yes" },
];
/** The records have the languages as a label, too. */
function labelsOf({ lang }: Plain): Map<string, string> {
  return new Map(typeof lang === "string" ? [["tongue", lang]] : []);
}

const NAMESPACE = "trees";
const NO_FILTER = DocumentFilter.decode(new Uint8Array(0));

let server: TestServer;

beforeAll(async () => {
  server = await startContractServer();
  const texts = RECORDS.map((plain, at) => ({
    at,
    text: `harbour ${at}`,
    metadata: struct(plain),
    labels: labelsOf(plain),
  }));
  await server.client.call("upsertDocuments", {
    namespace: NAMESPACE,
    documents: texts.map(({ at, ...fields }) => document({ documentId: `${at}`, ...fields })),
  });
  await server.client.call("remember", {
    namespace: NAMESPACE,
    memories: texts.map(({ at, ...fields }) => memory({ memoryId: `${at}`, ...fields })),
  });
  await server.client.call("appendMessages", {
    ...{ namespace: NAMESPACE, sessionId: "s", createSession: true },
    messages: texts.map(({ at, ...fields }) => message({ messageId: `${at}`, role: 1, ...fields })),
  });
});

afterAll(() => server[Symbol.asyncDispose]());

type Tree =
  | { readonly path: string; readonly test: MetadataCondition["test"] }
  | { readonly label: NonNullable<LabelCondition["test"]> }
  | { readonly of: "allOf" | "anyOf" | "noneOf"; readonly conditions: readonly Tree[] };

const leaves: fc.Arbitrary<Tree> = fc.constantFrom<Tree>(
  { path: "lang", test: { $case: "equalTo", value: "en" } },
  { path: "lang", test: { $case: "oneOf", value: ["en", "de"] } },
  {
    path: "size",
    test: { $case: "range", value: { min: 2, lessThan: undefined, max: undefined } },
  },
  { path: "size", test: { $case: "exists", value: false } },
  { path: "old", test: { $case: "exists", value: true } },
  { path: "lang", test: { $case: "startsWith", value: "e" } },
  { path: "lang", test: { $case: "contains", value: "t" } },
  {
    path: "lang",
    test: { $case: "textRange", value: { min: "e", lessThan: "pt", max: undefined } },
  },
  { label: { $case: "equalTo", value: "en" } },
  { label: { $case: "oneOf", value: { values: ["de", "pt"] } } },
  { label: { $case: "exists", value: true } },
  { label: { $case: "exists", value: false } },
  { label: { $case: "startsWith", value: "e" } },
  { label: { $case: "contains", value: "t" } },
  { label: { $case: "textRange", value: { min: "de", lessThan: undefined, max: "en" } } },
);

/** The languages whose label passes a test. */
const PASSING: Readonly<Record<string, readonly (string | undefined)[]>> = {
  equalTo: ["en"],
  oneOf: ["de", "pt"],
  startsWith: ["en"],
  contains: ["pt"],
  textRange: ["de", "en"],
};

const { tree: trees } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3 },
    leaves,
    fc.record({
      of: fc.constantFrom("allOf" as const, "anyOf" as const, "noneOf" as const),
      conditions: fc.array(tie("tree"), { minLength: 1, maxLength: 3 }),
    }),
  ),
}));

function wire(tree: Tree): MetadataCondition {
  if ("label" in tree) {
    return { path: "", test: { $case: "label", value: { key: "tongue", test: tree.label } } };
  }
  if (!("of" in tree)) return tree;
  return { path: "", test: { $case: tree.of, value: { conditions: tree.conditions.map(wire) } } };
}

/** Counts the conditions that hold, and compares the count with what the tree wants. */
function holds(plain: Plain, tree: Tree): boolean {
  if ("of" in tree) {
    const count = tree.conditions.filter((one) => holds(plain, one)).length;
    const wanted = {
      allOf: count === tree.conditions.length,
      anyOf: count > 0,
      noneOf: count === 0,
    };
    return wanted[tree.of];
  }
  if ("label" in tree) {
    const { lang } = plain;
    if (tree.label.$case === "exists") return (lang !== undefined) === tree.label.value;
    return (PASSING[tree.label.$case] ?? []).includes(lang?.toString());
  }
  const value = plain[tree.path];
  const { test: wanted } = tree;
  if (wanted?.$case === "exists") return (value !== undefined) === wanted.value;
  if (wanted?.$case === "range") return typeof value === "number" && value >= 2;
  if (wanted?.$case === "startsWith" || wanted?.$case === "textRange") return value === "en";
  if (wanted?.$case === "contains") return value === "pt";
  if (wanted?.$case === "oneOf") return value === "en" || value === "de";
  return value === "en";
}

async function recalled(kind: RecallKind, metadata: MetadataCondition[], scoring: string) {
  const collectionIds = scoring === "tf_idf" ? ["default"] : [];
  const { hits } = await server.client.call("recall", {
    ...{ namespace: NAMESPACE, query: "harbour", pageSize: 100, scoring },
    filter: recallFilter({ kinds: [kind], metadata, collectionIds }),
  });
  const ids = hits.map(({ record }) => {
    if (record?.$case === "message") return record.value.message?.messageId;
    return record?.$case === "document" ? record.value.documentId : record?.value.memoryId;
  });
  return ids.toSorted();
}

test("every list and search finds what looking at each record finds", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(trees, { minLength: 1, maxLength: 2 }), async (all) => {
      const metadata = all.map(wire);
      const expected = RECORDS.flatMap((plain, at) =>
        all.every((tree) => holds(plain, tree)) ? [`${at}`] : [],
      );
      const { documents } = await server.client.call("listDocuments", {
        ...{ namespace: NAMESPACE, filter: { ...NO_FILTER, metadata } },
      });
      expect(documents.map(({ documentId }) => documentId)).toEqual(expected);
      const { memories } = await server.client.call("listMemories", {
        ...{ namespace: NAMESPACE, filter: memoryFilter({ metadata }) },
      });
      expect(memories.map(({ memoryId }) => memoryId)).toEqual(expected);
      const { messages } = await server.client.call("listMessages", {
        ...{ namespace: NAMESPACE, sessionId: "s", filter: messageFilter({ metadata }) },
      });
      expect(messages.map(({ messageId }) => messageId)).toEqual(expected);
      for (const kind of [RecallKind.MESSAGE, RecallKind.DOCUMENT, RecallKind.MEMORY]) {
        expect(await recalled(kind, metadata, "")).toEqual(expected);
      }
      expect(await recalled(RecallKind.DOCUMENT, metadata, "tf_idf")).toEqual(expected);
      expect(await recalled(RecallKind.MEMORY, metadata, "substring")).toEqual(expected);
    }),
    { numRuns: 60 },
  );
});
