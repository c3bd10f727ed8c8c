// Provokes the failures of the rpcs on records.

import type {
  RecordOperation,
  RecordPrecondition,
} from "../../../../src/gen/memorysidecar/v1/record.ts";
import type { Failure } from "../client.ts";
import { message, record, recordRange } from "../samples.ts";
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

/** The failures of records, by rpc. */
export const RECORD_WAYS: Ways = {
  ...putWays,
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
