import { expect, test } from "vitest";
import { EVENT_TYPE } from "../events/rules/event.ts";
import { LIMITS } from "../kit/limits.ts";
import { type ChangedRecord, documentDetails, removalSteps } from "./record-documents.ts";
import { type KeptRecord, recordDocumentIds } from "./rules/record.ts";

function kept(key: string, documentCount: number, collectionId = "c"): KeptRecord {
  return {
    ...{ path: ["p"], key, valueBytes: 1, crc32: undefined, mediaType: "" },
    ...{ owner: { userId: "", agentId: "", sessionId: "" }, ttlMs: 0, expireMs: 0, version: 1 },
    ...{ etagRevision: 1, writer: "w", createMs: 1, updateMs: 1 },
    ...(documentCount === 0 ? {} : { search: { collectionId, documentCount } }),
  };
}

/** The events in words: the places of ids that begin with the same record. */
function told(...changed: ChangedRecord[]): readonly string[] {
  const places = new Map<string, string>();
  for (const { record } of changed) {
    for (const id of recordDocumentIds({
      ...record,
      search: { collectionId: "", documentCount: 9 },
    }))
      places.set(id, `${record.key}${id.split(":").at(-1)}`);
  }
  return documentDetails(changed).flatMap((detail) => {
    const shown = (ids: readonly string[]) => ids.map((id) => places.get(id)).join();
    switch (detail.type) {
      case EVENT_TYPE.documentsUpserted:
        return `${detail.collectionId} + ${shown(detail.documentIds)} (${detail.createdCount} new)`;
      case EVENT_TYPE.documentsDeleted:
        return `${detail.collectionId} ${detail.expired ? "x" : "-"} ${shown(detail.documentIds)}`;
      default:
        return [];
    }
  });
}

const put = (record: KeptRecord, replaced?: KeptRecord): ChangedRecord => {
  return { record, reason: undefined, replaced };
};
const gone = (record: KeptRecord, reason: ChangedRecord["reason"]): ChangedRecord => {
  return { record, reason };
};

test.each<[string, readonly ChangedRecord[], readonly string[]]>([
  ["no documents", [put(kept("a", 0)), gone(kept("b", 0), "request")], []],
  ["a new record", [put(kept("a", 2))], ["c + a0,a1 (2 new)"]],
  ["more documents than before", [put(kept("a", 3), kept("a", 1))], ["c + a0,a1,a2 (2 new)"]],
  ["fewer than before", [put(kept("a", 1), kept("a", 3))], ["c + a0 (0 new)", "c - a1,a2"]],
  ["none any more", [put(kept("a", 0), kept("a", 2))], ["c - a0,a1"]],
  ["another collection", [put(kept("a", 1, "d"), kept("a", 2))], ["c - a0,a1", "d + a0 (1 new)"]],
  ["a deletion", [gone(kept("a", 2), "request")], ["c - a0,a1"]],
  ["an erasure", [gone(kept("a", 1), "erased")], ["c - a0"]],
  [
    "a put after the end of what it replaces",
    [gone(kept("a", 2), "expired"), put(kept("a", 1))],
    ["c x a0,a1", "c + a0 (1 new)"],
  ],
  [
    "several records of several collections",
    [put(kept("a", 1)), put(kept("b", 1, "d")), gone(kept("e", 1), "request")],
    ["c + a0 (1 new)", "c - e0", "d + b0 (1 new)"],
  ],
])("the events of documents tell of %s", (_, changed, expected) => {
  expect(told(...changed)).toEqual(expected);
});

test("a change removes as many records as their documents let it", () => {
  const most = LIMITS.recordDocuments;
  const all = Array.from({ length: 100 }, (_, at) => kept(`${at}`, most));
  const steps = removalSteps(all);
  expect(steps.flat()).toEqual(all);
  expect(steps.map(({ length }) => length)).toEqual([39, 39, 22]);
  expect(39 * most).toBeLessThanOrEqual(LIMITS.deleteDocuments);
  expect(removalSteps([])).toEqual([]);
  expect(removalSteps([kept("a", 0), kept("b", 0)]).length).toBe(1);
});
