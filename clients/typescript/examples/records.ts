// Keeps the checkpoints of an agent as records, in every way, and meets the errors.
//
//   node clients/typescript/examples/records.ts [ADDRESS]
//
// Works in a namespace of its own and deletes what it made.

import { randomBytes } from "node:crypto";
import { connect, isMemorySidecarError, type MemorySidecar } from "../src/index.ts";

const THREAD = ["checkpoints", "trip"];

/** Awaits the error with this reason and shows it. */
async function expectError(reason: string, attempt: Promise<unknown>): Promise<void> {
  const error = await attempt.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!isMemorySidecarError(error) || error.reason !== reason) throw error ?? new Error(reason);
  console.log(`   ${reason}: ${error.message}`);
}

/** Writes checkpoints, and a pointer to the newest one with each. */
async function write(client: MemorySidecar): Promise<void> {
  console.log("\n== Writing");
  const owner = { userId: "ana" };
  const first = await client.putRecord(THREAD, "0001", "step 1", { exists: false, owner });
  console.log(`created: ${first.created}, version ${first.version}`);
  await client.putRecord("latest", "trip", "0001", { mediaType: "text/plain" });
  const { outcomes } = await client.writeRecords([
    { put: { path: THREAD, key: "0002", value: "step 2", owner } },
    { put: { path: THREAD, key: "0003", value: new Uint8Array([3]), ttlMs: 86_400_000 } },
    { put: { path: "latest", key: "trip", value: "0003", version: 1 } },
    { check: { path: THREAD, key: "0001", etag: first.etag } },
    { delete: { path: THREAD, key: "0000", allowMissing: true } },
  ]);
  console.log(`versions: ${outcomes.map(({ version }) => version)}`);
  await expectError(
    "RECORD_ALREADY_EXISTS",
    client.putRecord(THREAD, "0001", "", { exists: false }),
  );
  const stale = client.putRecord("latest", "trip", "0002", { version: 1 });
  await expectError("RECORD_VERSION_MISMATCH", stale);
}

/** Appends a message together with the checkpoint that holds it. */
async function append(client: MemorySidecar): Promise<void> {
  console.log("\n== Appending");
  const checkpoint = { path: THREAD, key: "0004", value: "step 4", exists: false };
  const options = { createSession: true, recordOperations: [{ put: checkpoint }] };
  const { lastSeq, recordOutcomes } = await client.append("trip", "And now to Lisbon.", options);
  console.log(`message ${lastSeq}, checkpoint version ${recordOutcomes[0]?.version}`);
  await expectError("RECORD_ALREADY_EXISTS", client.append("trip", "Again.", options));
  console.log(`messages: ${(await client.window("trip")).messages.length}`);
}

/** Reads one, several and many. */
async function read(client: MemorySidecar): Promise<void> {
  console.log("\n== Reading");
  const latest = await client.getRecord("latest", "trip");
  console.log(`the newest: ${latest.value}, by version ${latest.version} of latest`);
  const [third, missing] = await client.batchGetRecords(
    ["0003", "0009"].map((key) => ({ path: THREAD, key })),
    { refreshTtl: true },
  );
  console.log(
    `third: ${third?.record?.value.length} byte, missing: ${missing?.record === undefined}`,
  );
  for await (const { key, valueSize } of client.listRecords(THREAD, { order: "desc" })) {
    console.log(`${key}: ${valueSize} bytes`);
  }
  const before = { order: "desc", endKey: "0003", pageSize: 1, includeValues: true } as const;
  for await (const { key, value } of client.listRecords(THREAD, before)) {
    console.log(`before 0003: ${key} ${value}`);
    break;
  }
  for await (const path of client.listRecordPaths()) console.log(`a path: ${path.join("/")}`);
  await expectError("RECORD_NOT_FOUND", client.getRecord(THREAD, "0009"));
}

/** Finds a record by the texts that it brings along, and its value with the hit. */
async function find(client: MemorySidecar): Promise<void> {
  console.log("\n== Finding");
  const documents = ["Ana flies to Lisbon on Friday.", "Ana wants a window seat."];
  const search = { documents, collectionId: "notes" };
  await client.putRecord("notes", "ana", '{"seat": "window"}', { search });
  const asked = { filter: { collectionIds: ["notes"] }, includeRecords: true };
  const { hits } = await client.recall("Which seat?", { ...asked, bestOfRecord: true });
  const ids: string[] = [];
  for (const { foundRecord, record } of hits) {
    if (record?.$case !== "document") continue;
    console.log(`${record.value.text} -> ${foundRecord?.record?.value}`);
    ids.push(record.value.documentId);
  }
  const collectionId = "notes";
  await expectError("DOCUMENT_OF_RECORD", client.deleteDocuments(ids, { collectionId }));
  await client.deleteRecord("notes", "ana");
  console.log(`left: ${(await client.recall("seat", asked)).hits.length}`);
}

/** Keeps a value that no single call takes. */
async function keepLarge(client: MemorySidecar): Promise<void> {
  console.log("\n== Large values");
  const sent = await client.uploadValue("0123456789".repeat(500_000));
  await client.putRecord("files", "log", sent, { exists: false });
  await expectError("RECORD_VALUE_TOO_LARGE", client.getRecord("files", "log"));
  const piece = await client.getRecord("files", "log", { valueOffset: 15, valueLimit: 10 });
  console.log(`a piece: ${piece.value}`);
  const whole = await client.getWholeRecord("files", "log");
  console.log(`the whole: ${whole.value.length} bytes`);
  await expectError("UPLOAD_NOT_FOUND", client.putRecord("files", "again", sent));
  await client.deleteRecords("files");
}

/** Deletes one record, and those of a path. */
async function remove(client: MemorySidecar): Promise<void> {
  console.log("\n== Deleting");
  const { deleted } = await client.deleteRecord("latest", "trip", { version: 2 });
  console.log(`deleted the pointer: ${deleted}`);
  const { deletedCount, more } = await client.deleteRecords("checkpoints", { recursive: true });
  console.log(`deleted ${deletedCount} checkpoints, more: ${more}`);
  await client.deleteSession("trip");
}

const namespace = `records-${randomBytes(4).toString("hex")}`;
const client = connect(process.argv[2] ?? "127.0.0.1:50151", { namespace });
try {
  await write(client);
  await append(client);
  await read(client);
  await find(client);
  await keepLarge(client);
  await remove(client);
  console.log("\nDone.");
} finally {
  client.close();
}
