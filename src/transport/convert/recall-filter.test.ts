import { describe, expect, it } from "vitest";
import { MemoryKind } from "../../gen/memorysidecar/v1/memory.ts";
import { Role } from "../../gen/memorysidecar/v1/message.ts";
import { RecallFilter, RecallKind } from "../../gen/memorysidecar/v1/recall.ts";
import { fromRecallFilter } from "./recall-filter.ts";

type Given = Partial<RecallFilter>;

/** The kinds that a filter is about, in alphabetical order; none stands for all. */
function kindsOf(filter: Given): string[] {
  return [
    ...fromRecallFilter({ ...RecallFilter.decode(new Uint8Array(0)), ...filter }).kinds,
  ].sort();
}

describe("what kinds a filter is about", () => {
  it.each<[string, Given, string[]]>([
    ["nothing", {}, []],
    ["sessions", { sessionIds: ["s"] }, ["message"]],
    ["roles", { roles: [Role.USER] }, ["message"]],
    ["collections", { collectionIds: ["c"] }, ["document"]],
    ["memories", { memoryKinds: [MemoryKind.FACT] }, ["memory"]],
    [
      "sessions and collections",
      { sessionIds: ["s"], collectionIds: ["c"] },
      ["document", "message"],
    ],
    ["categories, which memories of all have", { categories: ["work"] }, []],
    ["sessions that do not count", { excludeSessionIds: ["s"] }, []],
    ["sessions, of every kind", { sessionIds: ["s"], kinds: [1, 2] }, ["document", "message"]],
    ["documents of sessions", { sessionIds: ["s"], kinds: [RecallKind.DOCUMENT] }, ["document"]],
  ])("names %s", (_, filter, kinds) => {
    expect(kindsOf(filter)).toEqual(kinds);
  });
});
