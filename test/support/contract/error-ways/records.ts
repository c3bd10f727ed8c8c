// Provokes the failures of the rpcs on records.

import type {
  RecordOperation,
  RecordPrecondition,
} from "../../../../src/gen/memorysidecar/v1/record.ts";
import { LIMITS } from "../../../../src/kit/limits.ts";
import type { Failure } from "../client.ts";
import { document, message, record, recordRange } from "../samples.ts";
import { type ErrorScene, sameWay, type Ways } from "./scene.ts";

const PATH = ["p"];

/** Puts a record with a new key. */
async function kept({ client, fresh }: ErrorScene): Promise<string> {
  const key = fresh();
  await client.call("putRecord", { record: record({ path: PATH, key }) });
  return key;
}

const version: RecordPrecondition = { condition: { $case: "version", value: 7n } };
const exists = (value: boolean): RecordPrecondition => ({
  condition: { $case: "exists", value },
});

/** The failures of a put, by reason: whether the record is kept, and what the request demands. */
const PUTS = {
  RECORD_ALREADY_EXISTS: { isKept: true, precondition: exists(false), etag: "" },
  RECORD_NOT_FOUND: { isKept: false, precondition: exists(true), etag: "" },
  RECORD_VERSION_MISMATCH: { isKept: true, precondition: version, etag: "" },
  ETAG_MISMATCH: { isKept: true, precondition: undefined, etag: "x" },
} as const;

const putWays: Ways = Object.fromEntries(
  Object.entries(PUTS).flatMap(([reason, { etag, isKept, precondition }]) => {
    const put = async (scene: ErrorScene) => {
      const key = isKept ? await kept(scene) : scene.fresh();
      return { record: record({ path: PATH, key, etag }), precondition };
    };
    const one = async (scene: ErrorScene): Promise<Failure> =>
      await scene.client.fail("putRecord", await put(scene));
    const several = async (scene: ErrorScene): Promise<Failure> => {
      const first = record({ path: PATH, key: scene.fresh() });
      const operations: RecordOperation[] = [
        { operation: { $case: "put", value: { record: first, precondition: undefined } } },
        { operation: { $case: "put", value: await put(scene) } },
      ];
      const failure = await scene.client.fail("writeRecords", { operations });
      if (failure.metadata["operation"] !== "1") throw new Error("It names another operation.");
      return failure;
    };
    const beside = async (scene: ErrorScene): Promise<Failure> => {
      const operation = { $case: "put", value: await put(scene) } as const;
      const messages = [message({ text: "Hello" })];
      const request = { sessionId: "seed", messages, recordOperations: [{ operation }] };
      return await scene.client.fail("appendMessages", request);
    };
    return [
      [`PutRecord ${reason}`, one],
      [`WriteRecords ${reason}`, several],
      [`AppendMessages ${reason}`, beside],
    ] as const;
  }),
);

/** The failures of a put of an upload, by reason: whether there is an upload, and its checksum. */
const UPLOADS = {
  UPLOAD_NOT_FOUND: { isBegun: false, valueCrc32: undefined },
  RECORD_CHECKSUM_MISMATCH: { isBegun: true, valueCrc32: 7 },
} as const;

const uploadWays: Ways = Object.fromEntries(
  Object.entries(UPLOADS).flatMap(([reason, { isBegun, valueCrc32 }]) => {
    const put = async ({ client, fresh }: ErrorScene) => {
      const uploadId = fresh();
      if (isBegun) await client.call("uploadRecordPart", { uploadId, data: Buffer.from("v") });
      const content = { path: PATH, key: fresh(), uploadId, valueCrc32 };
      return { record: record(content), precondition: undefined };
    };
    const operations = async (scene: ErrorScene): Promise<RecordOperation[]> => [
      { operation: { $case: "put", value: await put(scene) } },
    ];
    return [
      [
        `PutRecord ${reason}`,
        async (scene: ErrorScene) => await scene.client.fail("putRecord", await put(scene)),
      ],
      [
        `WriteRecords ${reason}`,
        async (scene: ErrorScene) =>
          await scene.client.fail("writeRecords", { operations: await operations(scene) }),
      ],
      [
        `AppendMessages ${reason}`,
        async (scene: ErrorScene) =>
          await scene.client.fail("appendMessages", {
            ...{ sessionId: "seed", messages: [message({ text: "Hello" })] },
            recordOperations: await operations(scene),
          }),
      ],
    ] as const;
  }),
);

/** A part of as many bytes as one may have. */
const PART = Buffer.alloc(LIMITS.recordValueBytes);

/** The failures of records, by rpc. */
export const RECORD_WAYS: Ways = {
  ...putWays,
  ...uploadWays,
  ...Object.fromEntries(
    (["PutRecord", "WriteRecords", "AppendMessages"] as const).map((rpc) => [
      `${rpc} COLLECTION_LIMIT_REACHED`,
      async ({ client, fresh, whileMemoryIsFull }: ErrorScene) => {
        const namespace = fresh();
        const search = {
          ...{ collectionId: "more", documentCount: 0 },
          documents: [document({ text: "An otter." })],
        };
        const put = { record: record({ path: PATH, key: "k", search }), precondition: undefined };
        const operations: RecordOperation[] = [{ operation: { $case: "put", value: put } }];
        if (rpc === "PutRecord") {
          return await whileMemoryIsFull(() => client.fail("putRecord", { namespace, ...put }));
        }
        if (rpc === "WriteRecords") {
          return await whileMemoryIsFull(() =>
            client.fail("writeRecords", { namespace, operations }),
          );
        }
        const turn = {
          sessionId: "s",
          createSession: true,
          messages: [message({ text: "Hello" })],
        };
        const append = { namespace, ...turn, recordOperations: operations };
        return await whileMemoryIsFull(() => client.fail("appendMessages", append));
      },
    ]),
  ),
  "UploadRecordPart UPLOAD_OFFSET_MISMATCH": async ({ client, fresh }) =>
    await client.fail("uploadRecordPart", { uploadId: fresh(), offset: 1n, data: PART }),
  "UploadRecordPart UPLOAD_LIMIT_REACHED": async ({ client, fresh }) => {
    const namespace = fresh();
    const data = Buffer.from("v");
    for (let at = 0; at < LIMITS.recordUploads; at += 1) {
      await client.call("uploadRecordPart", { namespace, uploadId: `${at}`, data });
    }
    return await client.fail("uploadRecordPart", { namespace, uploadId: "more", data });
  },
  "UploadRecordPart RECORD_VALUE_TOO_LARGE": async ({ client, fresh }) => {
    const uploadId = fresh();
    for (let at = 0; at < LIMITS.recordParts; at += 1) {
      const part = { uploadId, offset: BigInt(at), data: Buffer.from([at]) };
      await client.call("uploadRecordPart", part);
    }
    const part = { uploadId, offset: BigInt(LIMITS.recordParts), data: Buffer.from("v") };
    return await client.fail("uploadRecordPart", part);
  },
  "GetRecord RECORD_VALUE_TOO_LARGE": async ({ client, fresh }) => {
    const uploadId = fresh();
    await client.call("uploadRecordPart", { uploadId, data: PART });
    const offset = BigInt(PART.length);
    await client.call("uploadRecordPart", { uploadId, offset, data: Buffer.from("v") });
    const name = { path: PATH, key: fresh() };
    await client.call("putRecord", { record: record({ ...name, uploadId }) });
    return await client.fail("getRecord", name);
  },
  "GetRecord ETAG_MISMATCH": async (scene) => {
    const key = await kept(scene);
    return await scene.client.fail("getRecord", { path: PATH, key, etag: "x" });
  },
  ...sameWay("RECORD_NOT_FOUND", ["getRecord", "deleteRecord"], {
    ...{ path: PATH, key: "nothing", allowMissing: false },
  }),
  ...sameWay("PAGE_TOKEN_INVALID", ["listRecordPaths"], { pageToken: "x" }),
  ...sameWay("PAGE_TOKEN_INVALID", ["listRecords"], {
    ...{ range: recordRange({ path: PATH }), pageToken: "x" },
  }),
  "DeleteRecord RECORD_VERSION_MISMATCH": async (scene) => {
    const key = await kept(scene);
    return await scene.client.fail("deleteRecord", { path: PATH, key, precondition: version });
  },
  "DeleteRecord ETAG_MISMATCH": async (scene) => {
    const key = await kept(scene);
    return await scene.client.fail("deleteRecord", { path: PATH, key, etag: "x" });
  },
};
