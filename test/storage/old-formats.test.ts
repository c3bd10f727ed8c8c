// Stores that older versions wrote open with everything in them. How they were made:
// fixtures/README.md.

import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { verifyDirectory } from "../../src/store/verify/verify.ts";
import { document, message } from "../support/contract/samples.ts";
import { afterToken } from "../support/contract/watch.ts";
import { makeTempDir } from "../support/kit/temp-dir.ts";
import {
  readFixture,
  readOldStore,
  serveOldStore,
  unpackStore,
} from "../support/store/old-store.ts";

const OPENER = new URL("../support/store/lmdb-opener.ts", import.meta.url).pathname;
const FACTS = new URL("../../src/session/facts-wire.ts", import.meta.url);

describe.each([1, 2])("a store of format %i", (format) => {
  test("opens with everything in it, is clean, and opens again", async () => {
    await using directory = await makeTempDir();
    const { about, content } = await readFixture(format);
    await unpackStore(format, directory.path);

    const before = await verifyDirectory(directory.path, { factsModule: FACTS });
    expect(before).toMatchObject({ problems: [], storeId: about.storeId });
    for (const _ of ["converted", "opened again"]) {
      await using server = await serveOldStore(directory.path, about);
      expect(server.store.storeId).toBe(about.storeId);
      expect(await readOldStore(server)).toEqual(content);
    }

    const after = await verifyDirectory(directory.path, { factsModule: FACTS });
    expect(after).toMatchObject({ problems: [], storeId: about.storeId });
    expect({ ...after.totals, records: 0 }).toEqual({ ...before.totals, records: 0 });
  });

  test.each(["before-commit:1", "after-commit:1"])(
    "loses nothing when its conversion is killed %s",
    async (failpoint) => {
      await using directory = await makeTempDir();
      const { about, content } = await readFixture(format);
      await unpackStore(format, directory.path);
      const killed = spawnSync(process.execPath, [OPENER, directory.path, failpoint]);
      expect(killed.signal).toBe("SIGKILL");
      const between = await verifyDirectory(directory.path, { factsModule: FACTS });
      expect(between).toMatchObject({ problems: [], storeId: about.storeId });
      await using server = await serveOldStore(directory.path, about);
      expect(await readOldStore(server)).toEqual(content);
    },
  );

  test("goes on from its resume tokens", async () => {
    await using directory = await makeTempDir();
    const { about } = await readFixture(format);
    await unpackStore(format, directory.path);
    await using server = await serveOldStore(directory.path, about);
    for (const [namespace, resumeToken] of Object.entries(about.tokens)) {
      const all = await server.client.call("listEvents", { namespace, pageSize: 1_000 });
      const rest = await server.client.call("listEvents", {
        ...{ namespace, start: afterToken(resumeToken), pageSize: 1_000 },
      });
      expect(rest.events).toEqual(all.events.slice(5));
    }
  });

  test("takes the etags that it stored with messages and documents", async () => {
    await using directory = await makeTempDir();
    const { about } = await readFixture(format);
    await unpackStore(format, directory.path);
    await using server = await serveOldStore(directory.path, about);
    const { client } = server;
    const old = /^r[0-9a-z]+$/;
    const { sessions } = await client.call("listSessions", {});
    const { sessionId = "" } = sessions.find(({ lastSeq }) => lastSeq > 0n) ?? {};
    const { messages } = await client.call("listMessages", { sessionId });
    const [first] = messages;
    expect(first?.etag).toMatch(old);
    const { messageId = "", etag = "" } = first ?? {};
    const changed = message({ messageId, etag, labels: new Map([["new", "label"]]) });
    const updated = await client.call("updateMessage", { sessionId, message: changed });
    expect(updated.message?.etag).not.toMatch(old);
    expect(await client.fail("updateMessage", { sessionId, message: changed })).toMatchObject({
      reason: "ETAG_MISMATCH",
    });

    const { collections } = await client.call("listCollections", {});
    const { collectionId = "" } = collections[0] ?? {};
    const { documents } = await client.call("listDocuments", { collectionId });
    const { documentId = "", etag: storedEtag = "" } = documents[0] ?? {};
    expect(storedEtag).toMatch(old);
    const given = document({ documentId, text: "new", etag: storedEtag });
    const upsert = { collectionId, documents: [given] };
    await client.call("upsertDocuments", upsert);
    expect((await client.fail("upsertDocuments", upsert)).reason).toBe("ETAG_MISMATCH");
  });

  test("goes on after each of its revisions, and after those of other namespaces", async () => {
    await using directory = await makeTempDir();
    const { about } = await readFixture(format);
    await unpackStore(format, directory.path);
    await using server = await serveOldStore(directory.path, about);
    for (const namespace of Object.keys(about.tokens)) {
      await server.client.call("createSession", { namespace });
      const { events } = await server.client.call("listEvents", { namespace, pageSize: 1_000 });
      const newest = events.at(-1)?.revision ?? 0n;
      for (let revision = 0n; revision <= newest; revision++) {
        const start = { $case: "afterRevision", value: revision } as const;
        const page = { namespace, start, pageSize: 1_000 };
        const rest = await server.client.call("listEvents", page);
        expect(rest.events).toEqual(events.filter((event) => event.revision > revision));
        expect(rest.nextPageToken).toBe("");
      }
    }
  });
});
