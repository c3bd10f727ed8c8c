// Stores of every format, as the versions that wrote them left them: see stores/README.md.

import { describe, expect, test } from "vitest";
import { verifyDirectory } from "../../src/store/verify/verify.ts";
import { makeTempDir } from "../support/kit/temp-dir.ts";
import {
  readFixture,
  readOldStore,
  serveOldStore,
  unpackStore,
} from "../support/store/old-store.ts";

const FACTS = new URL("../../src/session/facts-wire.ts", import.meta.url);

describe.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])("a store of format %i", (format) => {
  test("verifies, and gives every record that was written", async () => {
    await using directory = await makeTempDir();
    const { about, content } = await readFixture(format);
    expect(about.format).toBe(format);
    await unpackStore(format, directory.path);
    const options = { factsModule: FACTS };
    expect(await verifyDirectory(directory.path, options)).toMatchObject({ problems: [] });
    await using server = await serveOldStore(directory.path, about);
    expect(server.store.storeId).toBe(about.storeId);
    expect(await readOldStore(server)).toEqual(content);
  });
});

test("a store of the newest format does not pass for another one", async () => {
  await using directory = await makeTempDir();
  const { about } = await readFixture(10);
  const { content } = await readFixture(9);
  await unpackStore(10, directory.path);
  await using server = await serveOldStore(directory.path, about);
  expect(await readOldStore(server)).not.toEqual(content);
  await server.client.call("deleteMessage", { sessionId: "kinds", messageId: "q1" });
  expect(await readOldStore(server)).not.toEqual((await readFixture(10)).content);
});
