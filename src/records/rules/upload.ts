// Values that arrive in parts, before a put makes one the value of a record.

import { checksum } from "../../kit/checksum.ts";
import { AppError, type AppErrorDetail } from "../../kit/errors.ts";
import { LIMITS } from "../../kit/limits.ts";

/** The parts of a value that have arrived. */
export interface RecordUpload {
  readonly byteCount: number;
  readonly partCount: number;
  /** Of all bytes. */
  readonly crc32: number;
  /** The newest part, by which a repeat is known. */
  readonly last: { readonly byteCount: number; readonly crc32: number };
  readonly expireMs: number;
}

/** A part as a caller gives it. */
export interface RecordPart {
  readonly uploadId: string;
  readonly offset: number;
  readonly data: Uint8Array;
}

/** Whether the time of an upload has run out. */
export function isUploadExpired({ expireMs }: RecordUpload, nowMs: number): boolean {
  return expireMs <= nowMs;
}

const NOTHING: Omit<RecordUpload, "expireMs"> = {
  ...{ byteCount: 0, partCount: 0, crc32: 0 },
  last: { byteCount: 0, crc32: 0 },
};

/**
 * The upload with one more part; undefined when it has the part already. Throws
 * UPLOAD_OFFSET_MISMATCH and RECORD_VALUE_TOO_LARGE.
 *
 * @param old - The parts before; undefined when this one begins.
 */
export function withPart(
  old: RecordUpload | undefined,
  { data, offset, uploadId }: RecordPart,
  nowMs: number,
): RecordUpload | undefined {
  const { byteCount, last, partCount, ...before } = old ?? NOTHING;
  const own = { byteCount: data.length, crc32: checksum(data) };
  const isRepeat =
    offset === byteCount - last.byteCount &&
    own.byteCount === last.byteCount &&
    own.crc32 === last.crc32;
  if (isRepeat) return undefined;
  if (offset !== byteCount) {
    throw new AppError(
      "UPLOAD_OFFSET_MISMATCH",
      `The upload has ${byteCount} bytes, and the part begins at ${offset}. Go on at ${byteCount}, ` +
        "or upload with another id.",
      { metadata: { upload_id: uploadId, size: byteCount } },
    );
  }
  if (partCount >= LIMITS.recordParts) {
    throw tooLarge(`An upload has at most ${LIMITS.recordParts} parts. Upload larger ones.`, {
      ...{ limit: LIMITS.recordParts, parts: partCount },
    });
  }
  const size = byteCount + data.length;
  if (size > LIMITS.uploadedValueBytes) {
    throw tooLarge(`A value has at most ${LIMITS.uploadedValueBytes} bytes. Split it.`, {
      ...{ limit: LIMITS.uploadedValueBytes, size },
    });
  }
  return {
    ...{
      byteCount: size,
      partCount: partCount + 1,
      crc32: checksum(data, before.crc32),
      last: own,
    },
    expireMs: nowMs + LIMITS.recordUploadMs,
  };
}

/** An answer has no room for a value. */
export function valueTooLarge(size: number): AppError {
  const limit = LIMITS.recordValueBytes;
  return tooLarge(
    `The answer would hold ${size} bytes of the value, and may hold ${limit}. Get it in ranges: ` +
      "set value_offset and value_limit.",
    { limit, size },
  );
}

function tooLarge(text: string, metadata: AppErrorDetail["metadata"] & object): AppError {
  return new AppError("RECORD_VALUE_TOO_LARGE", text, { metadata });
}
