// Uploads of values in parts, before a put makes one the value of a record.

import type { ServiceContext } from "../core/context.ts";
import { type Call, checkLive } from "../kit/call.ts";
import { uploadLimitReached } from "../kit/errors.ts";
import { LIMITS } from "../kit/limits.ts";
import type { UploadDecision, UploadView } from "../store/store.ts";
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
  let failed = false;
  for (const ref of expired) {
    const change = { ...ref, allowWhenFull: true };
    const removed = store.changeUpload(change, ({ upload }): UploadDecision<undefined> => {
      const isMeant = upload !== undefined && isUploadExpired(upload, nowMs);
      if (!isMeant) return { kind: "answer", result: undefined };
      return { kind: "save", result: undefined, upload: undefined };
    });
    await removed.catch((error: unknown) => {
      failed = true;
      onError(error);
    });
  }
  // One that cannot be removed must not keep upkeep awake.
  return expired.length === STEP && !failed;
}
