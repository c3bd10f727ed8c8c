// Expiry by a ttl, of records and documents.

/** The ttl of something, and the moment at which it expires. */
export interface Life {
  /** 0: it does not expire. */
  readonly ttlMs: number;
  /** When it expires; 0: never. */
  readonly expireMs: number;
}

export const ENDLESS: Life = { ttlMs: 0, expireMs: 0 };

/** The life of what is written now. */
export function lifeFrom(nowMs: number, ttlMs: number): Life {
  return { ttlMs, expireMs: ttlMs === 0 ? 0 : nowMs + ttlMs };
}

/** Whether its time has run out. */
export function isOver({ expireMs }: Pick<Life, "expireMs">, nowMs: number): boolean {
  return expireMs > 0 && expireMs <= nowMs;
}

// A read need not write each time: what it gains must be worth it.
const GAIN_SHARE = 100;

/** Whether a read lets it live on, so that this is saved. */
export function isRefreshDue({ ttlMs, expireMs }: Life, nowMs: number): boolean {
  return ttlMs > 0 && nowMs + ttlMs - expireMs >= ttlMs / GAIN_SHARE;
}
