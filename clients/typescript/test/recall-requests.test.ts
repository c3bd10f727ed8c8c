import { describe, expect, test } from "vitest";
import { Trust } from "../src/gen/memorysidecar/v1/message.ts";
import { RecallMode } from "../src/gen/memorysidecar/v1/recall.ts";
import type { ListDocumentsOptions, RecallOptions } from "../src/recall-options.ts";
import { listDocumentsRequest, recallRequest, upsertRequest } from "../src/recall-requests.ts";

/** Options as a program without types may give them. */
const loose = (options: object): RecallOptions => options;

describe("the requests of recall", () => {
  test("hold every field of a filter", () => {
    const from = new Date(1_000);
    const times = { timeFrom: from, timeBefore: from };
    const filter = { userId: "ada", minTrust: "medium", ...times } as const;
    const request = recallRequest("default", "tea", { filter, mode: "dense" });
    expect(request.mode).toBe(RecallMode.DENSE);
    expect(request.filter).toMatchObject({
      scope: { scope: { $case: "visibleTo", value: { userId: "ada", agentId: undefined } } },
      minTrust: Trust.MEDIUM,
      ...{ timeFrom: new Date(1000), timeBefore: new Date(1000) },
    });
  });

  test("say whose records are meant, and name a scoring as it is", () => {
    const scopeOf = (filter: RecallOptions["filter"]) =>
      recallRequest("default", "tea", { filter }).filter?.scope?.scope;
    expect(scopeOf({})).toBeUndefined();
    expect(scopeOf({ everyone: true })).toMatchObject({ $case: "everyone" });
    expect(scopeOf({ userId: "ada", scope: "owned-by" })).toMatchObject({ $case: "ownedBy" });
    const request = recallRequest("default", "tea", { scoring: "tf_idf", includeEmbeddings: true });
    expect(request).toMatchObject({ scoring: "tf_idf", includeEmbeddings: true });
  });

  test("hold trees of conditions on metadata", () => {
    const metadata = [
      { anyOf: [{ path: "lang", equals: "en" }, { noneOf: [{ path: "lang", exists: true }] }] },
      { allOf: [{ path: "size", min: 2 }] },
    ] as const;
    const conditions = recallRequest("default", "tea", { filter: { metadata } }).filter?.metadata;
    expect(conditions).toMatchObject([
      {
        path: "",
        test: {
          $case: "anyOf",
          value: {
            conditions: [
              { path: "lang", test: { $case: "equalTo", value: "en" } },
              {
                test: {
                  $case: "noneOf",
                  value: { conditions: [{ path: "lang", test: { $case: "exists", value: true } }] },
                },
              },
            ],
          },
        },
      },
      { test: { $case: "allOf", value: { conditions: [{ path: "size" }] } } },
    ]);
  });

  test("hold conditions on labels", () => {
    const tests = [
      [{ equals: "a" }, { $case: "equalTo", value: "a" }],
      [{ oneOf: ["a", "b"] }, { $case: "oneOf", value: { values: ["a", "b"] } }],
      [{ exists: false }, { $case: "exists", value: false }],
      [{ startsWith: "a" }, { $case: "startsWith", value: "a" }],
      [{ contains: "a" }, { $case: "contains", value: "a" }],
      [
        { min: "a", lessThan: "c" },
        { $case: "textRange", value: { min: "a", lessThan: "c" } },
      ],
    ] as const;
    for (const [input, wanted] of tests) {
      const filter = { metadata: [{ label: "team", ...input }] };
      expect(recallRequest("default", "tea", { filter }).filter?.metadata).toMatchObject([
        { path: "", test: { $case: "label", value: { key: "team", test: wanted } } },
      ]);
    }
  });

  test("say whom documents belong to, and whose are listed", () => {
    const head = { namespace: "default", requestId: "" };
    const own = { text: "own", scope: { userId: "ben" } };
    const { documents } = upsertRequest(head, ["text", own], { scope: { userId: "ada" } });
    expect(documents.map(({ scope }) => scope?.userId)).toEqual(["ada", "ben"]);
    expect(upsertRequest(head, ["text"], {}).documents[0]?.scope).toBeUndefined();
    const listed = (filter: ListDocumentsOptions["filter"]) =>
      listDocumentsRequest("default", { filter }, "").filter?.scope?.scope;
    expect(listed({})).toBeUndefined();
    expect(listed({ userId: "ada" })).toMatchObject({
      ...{ $case: "visibleTo", value: { userId: "ada" } },
    });
    expect(listed({ everyone: true })).toMatchObject({ $case: "everyone" });
  });

  test("are not made of names that nothing knows: a filter would let everything through", () => {
    const ask = (options: object) => () => recallRequest("default", "tea", loose(options));
    expect(ask({ filter: { from: new Date() } })).toThrow('has no field "from"');
    expect(ask({ filter: { kinds: ["note"] } })).toThrow("is one of message, document");
    expect(ask({ filter: { minTrust: "best" } })).toThrow("the trust is one of low, medium, high");
    expect(ask({ mode: "lexicl" })).toThrow('one of hybrid, lexical, dense, not "lexicl"');
    expect(ask({ fusion: "toString" })).toThrow("the fusion is one of");
    expect(ask({ filter: { scope: "owned-by" } })).toThrow("needs userId, or everyone");
    expect(ask({ filter: { scope: "mine", userId: "ada" } })).toThrow("one of visible-to, exact");
  });
});
