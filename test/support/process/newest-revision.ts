// The newest revision of a namespace, read by a client.

import type { MemorySidecar } from "../../../clients/typescript/src/index.ts";

/** The newest revision of the client's namespace, where a new consumer would start. */
export async function newestRevision(client: MemorySidecar): Promise<number> {
  const consumerId = `newest-${crypto.randomUUID()}`;
  const { revision } = await client.createConsumer(consumerId, { from: "now" });
  await client.deleteConsumer(consumerId);
  return revision;
}
