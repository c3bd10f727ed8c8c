import { describe, expect, it } from "vitest";
import { Trust } from "../src/gen/memorysidecar/v1/message.ts";
import { RecallMode } from "../src/gen/memorysidecar/v1/recall.ts";
import type { RecallOptions, SearchDocumentsOptions } from "../src/recall-options.ts";
import { recallRequest, searchDocumentsRequest } from "../src/recall-requests.ts";

/** Options as a program without types may give them. */
const loose = (options: object): RecallOptions & SearchDocumentsOptions => options;

describe("the requests of recall", () => {
  it("hold every field of a filter", () => {
    const from = new Date(1_000);
    const times = { timeFrom: from, timeBefore: from };
    const filter = { userId: "ada", minTrust: "medium", ...times } as const;
    const request = recallRequest("default", "tea", { filter, mode: "dense" });
    expect(request.mode).toBe(RecallMode.DENSE);
    expect(request.filter).toMatchObject({
      ...{ userId: "ada", minTrust: Trust.MEDIUM },
      ...{ timeFrom: { seconds: 1n }, timeBefore: { seconds: 1n } },
    });
  });

  it("are not made of names that nothing knows: a filter would let everything through", () => {
    const ask = (options: object) => () => recallRequest("default", "tea", loose(options));
    expect(ask({ filter: { from: new Date() } })).toThrow('has no field "from"');
    expect(ask({ filter: { kinds: ["note"] } })).toThrow("is one of message, document");
    expect(ask({ filter: { minTrust: "best" } })).toThrow("the trust is one of low, medium, high");
    expect(ask({ mode: "lexicl" })).toThrow('one of hybrid, lexical, dense, not "lexicl"');
    expect(ask({ fusion: "toString" })).toThrow("the fusion is one of");
    const search = () => searchDocumentsRequest("default", "tea", loose({ scoring: "tf_idf" }));
    expect(search).toThrow('one of recall, cosine, tf-idf, not "tf_idf"');
  });
});
