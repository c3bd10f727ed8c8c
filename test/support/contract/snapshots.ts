// Native snapshots in tests: exports and imports.

import { expect } from "vitest";
import type { Message } from "../../../src/gen/memorysidecar/v1/message.ts";
import type { Session } from "../../../src/gen/memorysidecar/v1/session.ts";
import { SnapshotChunk, type SnapshotHeader } from "../../../src/gen/memorysidecar/v1/snapshot.ts";
import {
  type Failure,
  METHODS,
  type RequestOf,
  type ResponseOf,
  requestBytes,
  type TestClient,
} from "./client.ts";

/** A whole native snapshot. */
export interface Snapshot {
  readonly header: SnapshotHeader;
  readonly messages: Message[];
  /** Number of chunks. */
  readonly chunks: number;
}

/** Fields of an import request, with those of its chunk. */
export type ImportFields = Partial<Omit<RequestOf<"importSession">, "chunk"> & SnapshotChunk>;

/** The request that imports a chunk. */
export function importRequest(fields: ImportFields): Partial<RequestOf<"importSession">> {
  const { header, messages = [], document = Buffer.alloc(0), ...rest } = fields;
  return { ...rest, chunk: { header, messages, document } };
}

/** Imports a chunk. */
export function importChunk(
  client: TestClient,
  fields: ImportFields,
): Promise<ResponseOf<"importSession">> {
  return client.call("importSession", importRequest(fields));
}

/** Imports a chunk that must be refused. */
export function failImport(client: TestClient, fields: ImportFields): Promise<Failure> {
  return client.fail("importSession", importRequest(fields));
}

/** Exports a session as the bytes of the answers. */
export async function exportBytes(
  client: TestClient,
  fields: Partial<RequestOf<"exportSession">>,
): Promise<Buffer[]> {
  const asIs = (value: Buffer) => value;
  const bytes = requestBytes("exportSession", fields);
  const { path } = METHODS.exportSession;
  const stream = client.channel.makeServerStreamRequest(path, asIs, asIs, bytes);
  const answers: Buffer[] = [];
  for await (const answer of stream) answers.push(answer);
  return answers;
}

/** Exports a session as chunks. */
export async function exportChunks(
  client: TestClient,
  fields: Partial<RequestOf<"exportSession">>,
): Promise<SnapshotChunk[]> {
  const { chunks, failure } = await client.export(fields);
  expect(failure).toBeUndefined();
  return chunks.map(({ chunk }) => chunk ?? SnapshotChunk.decode(new Uint8Array(0)));
}

/** Exports a session. */
export async function takeSnapshot(client: TestClient, sessionId: string): Promise<Snapshot> {
  const chunks = await exportChunks(client, { sessionId });
  const [header, ...others] = chunks.map((chunk) => chunk.header);
  if (header === undefined) throw new Error("The first chunk has no header.");
  expect(others.filter((other) => other !== undefined)).toEqual([]);
  return { header, messages: chunks.flatMap(({ messages }) => messages), chunks: chunks.length };
}

/** Imports a snapshot in chunks of a number of messages; returns the session. */
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
    const answer = await importChunk(client, {
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

/** A snapshot without the fields that an import sets anew. */
export function comparable({ header, messages }: Pick<Snapshot, "header" | "messages">): unknown {
  const { session } = header;
  const { sessionId: _i, revision: _r, etag: _e, ...rest } = session ?? {};
  return {
    header: { ...header, session: rest },
    messages: messages.map(({ etag: _etag, ...message }) => message),
  };
}
