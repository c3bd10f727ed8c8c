// The newest revision of a namespace, as a client can ask for it.

import type { MemorySidecar } from "../../clients/typescript/src/index.ts";

/** The newest revision of the namespace of a client: where a consumer from now stands. */
export async function newestRevision(client: MemorySidecar): Promise<bigint> {
  const consumerId = `newest-${crypto.randomUUID()}`;
  const { revision } = await client.createConsumer(consumerId, { from: "now" });
  await client.deleteConsumer(consumerId);
  return revision;
}
