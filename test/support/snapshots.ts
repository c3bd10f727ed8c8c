// Native snapshots as tests take and bring them.

import { expect } from "vitest";
import type { Message } from "../../src/gen/memorysidecar/v1/message.ts";
import type { Session } from "../../src/gen/memorysidecar/v1/session.ts";
import type { SnapshotHeader } from "../../src/gen/memorysidecar/v1/snapshot.ts";
import type { TestClient } from "./contract.ts";

/** A whole native snapshot. */
export interface Snapshot {
  readonly header: SnapshotHeader;
  readonly messages: Message[];
  /** How many chunks it took, the header included. */
  readonly chunks: number;
}

/** Exports a session. */
export async function takeSnapshot(client: TestClient, sessionId: string): Promise<Snapshot> {
  const { chunks, failure } = await client.export({ sessionId });
  expect(failure).toBeUndefined();
  const [first, ...rest] = chunks.map(({ chunk }) => chunk);
  if (first?.$case !== "header") throw new Error("The first chunk is no header.");
  const messages = rest.flatMap((chunk) => {
    if (chunk?.$case !== "messages") throw new Error("A chunk holds no messages.");
    return chunk.value.messages;
  });
  return { header: first.value, messages, chunks: chunks.length };
}

/** Imports a snapshot in chunks of so many messages; gives the session. */
export async function bringSnapshot(
  client: TestClient,
  { header, messages }: Pick<Snapshot, "header" | "messages">,
  options: { sessionId?: string; chunk?: number; requestId?: string; replace?: boolean } = {},
): Promise<Session> {
  const { chunk = 10_000, ...fields } = options;
  let uploadId = "";
  for (let index = 0; ; index++) {
    const piece = messages.slice(index * chunk, (index + 1) * chunk);
    const more = (index + 1) * chunk < messages.length;
    const answer = await client.call("importSession", {
      ...fields,
      uploadId,
      chunkIndex: index,
      more,
      messages: piece,
      ...(index === 0 ? { header } : {}),
    });
    if (answer.session !== undefined) return answer.session;
    uploadId = answer.uploadId;
    expect(answer.nextChunkIndex).toBe(index + 1);
  }
}

/** A snapshot without what an import sets anew. */
export function comparable({ header, messages }: Pick<Snapshot, "header" | "messages">): unknown {
  const { session } = header;
  const { sessionId: _i, revision: _r, etag: _e, ...rest } = session ?? {};
  return {
    header: { ...header, session: rest },
    messages: messages.map(({ etag: _etag, ...message }) => message),
  };
}
