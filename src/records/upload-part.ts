// Uploads of values in parts, before a put makes one the value of a record.

import { removeEach } from "../core/change.ts";
import type { ServiceContext } from "../core/context.ts";
import { type Call, checkLive } from "../kit/call.ts";
import { uploadLimitReached } from "../kit/errors.ts";
import { LIMITS } from "../kit/limits.ts";
import type { UploadDecision, UploadRef, UploadView } from "../store/store.ts";
import type { UploadPartInput } from "./api.ts";
import { isUploadExpired, type RecordPart, type RecordUpload, withPart } from "./rules/upload.ts";

/**
 * Adds a part to an upload, which its first part makes. Throws UPLOAD_OFFSET_MISMATCH,
 * UPLOAD_LIMIT_REACHED and RECORD_VALUE_TOO_LARGE.
 */
export async function uploadPart(
  context: ServiceContext,
  call: Call,
  { namespace, part }: UploadPartInput,
): Promise<RecordUpload> {
  checkLive(call.signal);
  const nowMs = context.world.nowMs();
  const ref = { namespace, uploadId: part.uploadId };
  let upload: RecordUpload | undefined;
  // An upload that has ended goes first: then there is none.
  while (upload === undefined) {
    upload = await context.store.changeUpload(ref, (view) => decidePart(view, part, nowMs));
  }
  return upload;
}

function decidePart(
  { count, upload: old }: UploadView,
  part: RecordPart,
  nowMs: number,
): UploadDecision<RecordUpload | undefined> {
  if (old === undefined && count >= LIMITS.recordUploads) {
    throw uploadLimitReached({ limit: LIMITS.recordUploads });
  }
  if (old !== undefined && isUploadExpired(old, nowMs)) {
    return { kind: "save", result: undefined, upload: undefined };
  }
  const upload = withPart(old, part, nowMs);
  if (upload === undefined) return { kind: "answer", result: old };
  return { kind: "save", result: upload, upload, part: part.data };
}

/** Uploads that one step of upkeep removes. */
const STEP = 64;

/** Removes uploads whose time has run out; true when there may be more. */
export async function removeExpiredUploads(
  { store, world }: ServiceContext,
  onError: (error: unknown) => void,
): Promise<boolean> {
  const nowMs = world.nowMs();
  const expired = await store.expiredUploads(nowMs, STEP);
  const remove = (ref: UploadRef): Promise<undefined> =>
    store.changeUpload({ ...ref, allowWhenFull: true }, ({ upload }) => {
      const isMeant = upload !== undefined && isUploadExpired(upload, nowMs);
      if (!isMeant) return { kind: "answer", result: undefined };
      return { kind: "save", result: undefined, upload: undefined };
    });
  return (await removeEach(expired, remove, onError)) && expired.length === STEP;
}
