// Work of another program between two calls of an adapter.

import type { MemorySidecar } from "@memory-sidecar/client";

type Name = "append" | "batchGetRecords" | "getRecord" | "writeRecords";

/** Does something before a call, with its number, of a method of a client. */
export function before(
  client: MemorySidecar,
  name: Name,
  call: number,
  work: () => Promise<unknown>,
): void {
  const method = client[name].bind(client) as (...rest: unknown[]) => Promise<unknown>;
  let count = 0;
  Object.assign(client, {
    [name]: async (...rest: unknown[]) => {
      count += 1;
      if (count === call) await work();
      return await method(...rest);
    },
  });
}
