// The wall between users, for documents: whoever asks, by whatever call, sees what is shared and
// what is theirs, and nothing of another user.

import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DocumentFilter } from "../../src/gen/memorysidecar/v1/document.ts";
import type { MemoryScope, ScopeFilter } from "../../src/gen/memorysidecar/v1/memory.ts";
import {
  ContextSection,
  ContextSectionKind,
  RecallKind,
} from "../../src/gen/memorysidecar/v1/recall.ts";
import { startContractServer, type TestServer } from "../support/contract/client.ts";
import { document, recallFilter } from "../support/contract/samples.ts";

let server: TestServer;
let namespaces = 0;

beforeAll(async () => {
  server = await startContractServer();
});

afterAll(() => server[Symbol.asyncDispose]());

const ANY_DOCUMENT = DocumentFilter.decode(new Uint8Array(0));
const NO_SECTION = ContextSection.decode(new Uint8Array(0));

const scopeOf = (userId?: string, agentId?: string, sessionId?: string): MemoryScope => {
  return { userId, agentId, sessionId };
};

const scopes = fc.record({
  userId: fc.constantFrom(undefined, "ann", "bob"),
  agentId: fc.constantFrom(undefined, undefined, "x"),
  sessionId: fc.constantFrom(undefined, undefined, "s"),
});

const MEMBERS = ["userId", "agentId", "sessionId"] as const;
const isSeen = (own: MemoryScope, viewer: MemoryScope): boolean =>
  MEMBERS.every((member) => own[member] === undefined || own[member] === viewer[member]);

const COLLECTION = "notes";
const visibleTo = (value: MemoryScope): ScopeFilter => ({ scope: { $case: "visibleTo", value } });
const everyone: ScopeFilter = { scope: { $case: "everyone", value: {} } };

async function upsert(
  namespace: string,
  documents: readonly { readonly id: string; readonly scope?: MemoryScope }[],
): Promise<void> {
  await server.client.call("upsertDocuments", {
    ...{ namespace, collectionId: COLLECTION },
    documents: documents.map(({ id: documentId, scope }) =>
      document({
        documentId,
        text: `The harbour opens at dawn, says ${documentId}`,
        scope,
      }),
    ),
  });
}

/** The ids that each way of reading gives. */
async function idsSeen(
  namespace: string,
  scope: ScopeFilter | undefined,
): Promise<Readonly<Record<string, readonly string[]>>> {
  const query = "When does the harbour open?";
  const recall = async (scoring: string): Promise<readonly string[]> => {
    const filter = recallFilter({
      ...{ kinds: [RecallKind.DOCUMENT], collectionIds: [COLLECTION], scope },
    });
    const page = await server.client.call("recall", {
      ...{ namespace, query, filter, pageSize: 100, scoring },
    });
    return page.hits.map(({ record }) =>
      record?.$case === "document" ? record.value.documentId : "",
    );
  };
  const { documents } = await server.client.call("listDocuments", {
    ...{ namespace, collectionId: COLLECTION, filter: { ...ANY_DOCUMENT, scope } },
  });
  return {
    list: documents.map(({ documentId }) => documentId),
    recall: (await recall("")).toSorted(),
    cosine: (await recall("cosine")).toSorted(),
    tfIdf: (await recall("tf_idf")).toSorted(),
  };
}

async function idsInContext(namespace: string, scope: MemoryScope | undefined) {
  const sections = [{ ...NO_SECTION, kind: ContextSectionKind.DOCUMENTS, share: 1, limit: 100 }];
  const { parts } = await server.client.call("assembleContext", {
    ...{ namespace, query: "When does the harbour open?", scope, sections, maxTokens: 20_000 },
  });
  const items = parts.flatMap((part) => part.items);
  return items.map(({ ref }) => (ref?.ref?.$case === "document" ? ref.ref.value.documentId : ""));
}

test("whoever asks sees what is shared and what is theirs, whatever was replaced", async () => {
  const history = fc.array(fc.record({ at: fc.nat(7), scope: scopes }), {
    ...{ minLength: 1, maxLength: 14 },
  });
  await fc.assert(
    fc.asyncProperty(
      history,
      fc.array(scopes, { minLength: 3, maxLength: 3 }),
      async (all, who) => {
        const namespace = `wall-${namespaces++}`;
        const held = new Map<string, MemoryScope>();
        for (const [step, { at, scope }] of all.entries()) {
          await upsert(namespace, [{ id: `d${at}`, scope }]);
          held.set(`d${at}`, scope);
          // The index is there from the middle on, so that it takes changes in as well.
          if (step === all.length >> 1) await idsSeen(namespace, everyone);
        }
        for (const viewer of [...who, scopeOf()]) {
          const expected = [...held].filter(([, own]) => isSeen(own, viewer)).map(([id]) => id);
          const seen = await idsSeen(namespace, visibleTo(viewer));
          expect(seen["list"]?.toSorted()).toEqual(expected.toSorted());
          for (const way of ["recall", "cosine", "tfIdf"]) {
            expect(seen[way], way).toEqual(expected.toSorted());
          }
          expect(await idsInContext(namespace, viewer)).toEqual(
            expect.arrayContaining(expected.toSorted().slice(0, 1)),
          );
          for (const id of await idsInContext(namespace, viewer)) expect(expected).toContain(id);
        }
      },
    ),
    { numRuns: 12 },
  );
});

test("no scope means what is shared; the other forms are those of memories", async () => {
  const namespace = "forms";
  await upsert(namespace, [
    { id: "all" },
    { id: "ann", scope: scopeOf("ann") },
    { id: "ann x", scope: scopeOf("ann", "x") },
    { id: "bob", scope: scopeOf("bob") },
    { id: "empty", scope: scopeOf() },
  ]);
  const forms: readonly (readonly [ScopeFilter | undefined, readonly string[]])[] = [
    [undefined, ["all", "empty"]],
    [{ scope: { $case: "exact", value: scopeOf("ann") } }, ["ann"]],
    [{ scope: { $case: "exact", value: scopeOf() } }, ["all", "empty"]],
    [{ scope: { $case: "ownedBy", value: scopeOf("ann") } }, ["ann", "ann x"]],
    [everyone, ["all", "ann", "ann x", "bob", "empty"]],
  ];
  for (const [scope, expected] of forms) {
    const seen = await idsSeen(namespace, scope);
    for (const [way, ids] of Object.entries(seen)) expect(ids, way).toEqual(expected);
  }
  const ref = { namespace, collectionId: COLLECTION };
  const get = async (documentId: string) =>
    (await server.client.call("getDocument", { ...ref, documentId })).document?.scope;
  expect(await get("ann x")).toEqual(scopeOf("ann", "x"));
  expect(await get("empty")).toBeUndefined();
});

test("chunks belong to whom their document belongs", async () => {
  const namespace = "chunks";
  await server.client.call("upsertDocuments", {
    ...{ namespace, collectionId: COLLECTION, splitter: { chunkChars: 50, overlapChars: 0 } },
    documents: [
      document({
        ...{ documentId: "guide", text: "The harbour opens at dawn. ".repeat(5) },
        scope: scopeOf("ann"),
      }),
    ],
  });
  const seen = await idsSeen(namespace, visibleTo(scopeOf("ann")));
  expect(seen["recall"]).toContain("guide#0");
  expect(seen["list"]).toContain("guide#0");
  const others = await idsSeen(namespace, visibleTo(scopeOf("bob")));
  for (const [way, ids] of Object.entries(others)) expect(ids, way).toEqual([]);
});

test("a scope has the limits of that of a memory", async () => {
  const failure = await server.client.fail("upsertDocuments", {
    documents: [document({ text: "x", scope: scopeOf("u".repeat(513)) })],
  });
  expect(failure.reason).toBe("REQUEST_INVALID");
  expect(failure.fields).toEqual(["documents[0].scope.user_id"]);
});
