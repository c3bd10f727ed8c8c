// Erasures through a client: their subjects, and the receipts.

import { expect } from "vitest";
import {
  type ErasedKind,
  type Erasure,
  type ErasureRemainder,
  type ErasureRemainderReason,
  ErasureState,
  type ErasureSubject,
} from "../../../src/gen/memorysidecar/v1/admin_service.ts";
import type { TestClient } from "../contract/client.ts";
import { eventually } from "../process/summary-reader.ts";

export const user = (value: string): ErasureSubject => ({ subject: { $case: "userId", value } });
export const agent = (value: string): ErasureSubject => ({ subject: { $case: "agentId", value } });
export const ofSession = (value: string): ErasureSubject => ({
  subject: { $case: "sessionId", value },
});
export const messagesOf = (sessionId: string, messageIds: string[]): ErasureSubject => ({
  subject: { $case: "messages", value: { sessionId, messageIds } },
});
export const documentOf = (collectionId: string, documentId: string): ErasureSubject => ({
  subject: { $case: "document", value: { collectionId, documentId } },
});

export async function dryRun(
  client: TestClient,
  subject: ErasureSubject,
  namespace = "",
): Promise<Erasure> {
  const request = { namespace, subject, dryRun: true };
  const { erasure } = await client.call("eraseSubject", request);
  if (erasure === undefined) throw new Error("there is no receipt");
  expect(erasure).toMatchObject({ erasureId: "", state: ErasureState.DRY_RUN });
  return erasure;
}

export async function receiptOf(
  client: TestClient,
  erasureId: string,
  namespace = "",
): Promise<Erasure> {
  return await eventually("the end of the erasure", 10_000, async () => {
    const { erasure } = await client.call("getErasure", { namespace, erasureId });
    return erasure?.state === ErasureState.DONE ? erasure : undefined;
  });
}

/** Erases a subject; the dry run before it counts the same. */
export async function erase(
  client: TestClient,
  subject: ErasureSubject,
  namespace = "",
): Promise<Erasure> {
  const before = await dryRun(client, subject, namespace);
  const { erasure } = await client.call("eraseSubject", { namespace, subject });
  expect(erasure?.state).toBe(ErasureState.RUNNING);
  const receipt = await receiptOf(client, erasure?.erasureId ?? "", namespace);
  expect(receipt.erased).toEqual(before.erased);
  const reasons = ({ left }: Erasure) => left.map(({ reason, count }) => [reason, count]);
  expect(reasons(receipt)).toEqual(reasons(before));
  const again = await dryRun(client, subject, namespace);
  expect(again.erased).toEqual([]);
  return receipt;
}

export function countOf({ erased }: Erasure, kind: ErasedKind): number {
  return Number(erased.find((one) => one.kind === kind)?.count ?? 0);
}

/** The remainder of a receipt with a reason. */
export function leftOf(
  { left }: Erasure,
  reason: ErasureRemainderReason,
): ErasureRemainder | undefined {
  return left.find((one) => one.reason === reason);
}
