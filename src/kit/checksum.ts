// The checksum of values that arrive in parts.

import { crc32 } from "node:zlib";

/** The CRC-32 of some bytes, going on from that of the bytes before. */
export function checksum(bytes: Uint8Array, before = 0): number {
  return crc32(bytes, before);
}
