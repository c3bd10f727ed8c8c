// Values that an adapter uploads before the call that puts them.

import type { MemorySidecar } from "@memory-sidecar/client";
import { expect } from "vitest";

type Uploads = readonly Awaited<ReturnType<MemorySidecar["uploadValue"]>>[];

/** Records what a client uploads; `between` runs after each, with their number. */
export function recordUploads(
  client: MemorySidecar,
  between: (count: number) => unknown = () => undefined,
): Uploads {
  const upload = client.uploadValue.bind(client);
  const uploads: Awaited<ReturnType<typeof upload>>[] = [];
  client.uploadValue = async (...call) => {
    const uploaded = await upload(...call);
    uploads.push(uploaded);
    await between(uploads.length);
    return uploaded;
  };
  return uploads;
}

/** Expects that none of these uploads waits for its call any more. */
export async function expectNoUploads(client: MemorySidecar, uploads: Uploads): Promise<void> {
  for (const uploaded of uploads) {
    const put = { path: "taken", key: "upload", ...uploaded };
    await expect(client.writeRecords([{ put }])).rejects.toThrow(/upload/i);
  }
  for await (const { key } of client.listRecords(["abandoned-uploads"])) expect.unreachable(key);
}
