// Checks that a limit holds exactly: at the limit a request is taken, one above it is refused with
// the field and the limit.

import { expect } from "vitest";
import { revisionOf } from "../store/revisions.ts";
import { type RequestOf, requestBytes, type TestServer, type UnaryName } from "./client.ts";

/** A limit, the field that a request breaks it with, and how to make a request of a size. */
export interface LimitRow<M extends UnaryName = UnaryName> {
  readonly method: M;
  readonly field: string;
  readonly max: number;
  readonly make: (size: number) => Partial<RequestOf<M>>;
}

/** A row of a table of limits. */
export function limitRow<M extends UnaryName>(
  method: M,
  field: string,
  max: number,
  make: (size: number) => Partial<RequestOf<M>>,
): LimitRow {
  return { method, field, max, make } as unknown as LimitRow;
}

/** A text of so many bytes. */
export const x = (size: number): string => "x".repeat(size);

/** So many of something. */
export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** Whether a request passes the checks of its shape; other failures come after them. */
async function passes(server: TestServer, entry: LimitRow, size: number): Promise<boolean> {
  const outcome = await server.client.raw(
    entry.method,
    requestBytes(entry.method, entry.make(size)),
  );
  if (!("failure" in outcome)) return true;
  return outcome.failure.reason !== "REQUEST_INVALID";
}

/** Expects that requests up to the limit are taken and that one above it is refused. */
export async function expectLimit(server: TestServer, entry: LimitRow): Promise<void> {
  expect(await passes(server, entry, entry.max - 1)).toBe(true);
  expect(await passes(server, entry, entry.max)).toBe(true);
  const before = await revisionOf(server.store);
  const request = entry.make(entry.max + 1);
  const failure = await server.client.fail(entry.method, request);
  expect(failure).toMatchObject({ code: "INVALID_ARGUMENT", reason: "REQUEST_INVALID" });
  expect(failure.fields[0]).toBe(entry.field);
  expect(failure.metadata).toMatchObject({ field: entry.field, limit: String(entry.max) });
  expect(failure.details).toContain("BadRequest");
  expect(await revisionOf(server.store)).toBe(before);
}
