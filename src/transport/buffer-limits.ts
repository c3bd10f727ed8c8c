// How much of what clients send and read may wait in memory. Requests that are coming in and
// answers that are not read are counted apart, against the same limits.

/** The limits of one direction. */
export interface BufferLimits {
  /** Over all connections. */
  readonly bytesMax: number;
  readonly connectionBytesMax: number;
  /** What a connection may always have waiting. */
  readonly connectionBytesShare: number;
  /** How long nothing may move. */
  readonly timeoutMs: number;
}

/** What waits. */
export interface Buffered {
  readonly connectionBytes: number;
  readonly allBytes: number;
}

/**
 * Gives the limit that so many bytes more would break. The first that wait on a connection do not
 * break its own limit, however many they are.
 */
export function brokenLimit(
  limits: BufferLimits,
  buffered: Buffered,
  bytes: number,
): number | undefined {
  const { bytesMax, connectionBytesMax, connectionBytesShare } = limits;
  const { connectionBytes, allBytes } = buffered;
  const wanted = connectionBytes + bytes;
  if (connectionBytes > 0 && wanted > connectionBytesMax) return connectionBytesMax;
  return wanted > connectionBytesShare && allBytes + bytes > bytesMax ? bytesMax : undefined;
}
