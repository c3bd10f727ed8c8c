// Records through the contract: one namespace, and names written with slashes.

import type {
  NamedRecord,
  RecordOperation,
  RecordRange,
} from "../../../src/gen/memorysidecar/v1/record.ts";
import type { TestServer } from "./client.ts";
import { record, recordDelete, recordRange } from "./samples.ts";

/** Short ways to use the records of a namespace. */
export function recordScene({ client }: TestServer, namespace: string) {
  const put = (name: string, fields: Partial<NamedRecord> = {}, more: object = {}) =>
    client.call("putRecord", { namespace, record: named(name, fields), ...more });
  return {
    namespace,
    put,
    putAll: async (...names: readonly string[]) => {
      for (const name of names) await put(name);
    },
    get: async (name: string, fields: object = {}) => {
      const { key, path } = named(name);
      return (await client.call("getRecord", { namespace, path, key, ...fields })).record;
    },
    fail: (name: string, fields: object = {}) =>
      client.fail("getRecord", { namespace, ...nameOf(name), ...fields }),
    write: (operations: RecordOperation[], more: object = {}) =>
      client.call("writeRecords", { namespace, operations, ...more }),
    list: async (range: Partial<RecordRange>, fields: object = {}) => {
      const request = { namespace, range: recordRange({ path: ["p"], ...range }), ...fields };
      return (await client.call("listRecords", request)).records.map(shown);
    },
    events: async () => (await client.call("listEvents", { namespace })).events,
  };
}

/** The name of a record, from its parts with slashes between them. */
export function nameOf(name: string): { path: string[]; key: string } {
  const path = name.split("/");
  return { key: path.pop() ?? "", path };
}

/** A record with its name as its value. */
export function named(name: string, fields: Partial<NamedRecord> = {}): NamedRecord {
  return record({ ...nameOf(name), value: Buffer.from(name), ...fields });
}

/** A name in words. */
export const shown = ({ key, path }: { key: string; path: string[] }) => [...path, key].join("/");
/** Puts a record. */
export const putOf = (name: string): RecordOperation => ({
  operation: { $case: "put", value: { record: named(name), precondition: undefined } },
});
/** Deletes a record that may be missing. */
export const deleteOf = (name: string): RecordOperation => {
  const { key, path } = nameOf(name);
  return { operation: { $case: "deletion", value: recordDelete(path, key) } };
};
