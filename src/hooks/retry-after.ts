// When an endpoint wants to be asked again.

const SECONDS = /^\d{1,9}$/;
// As HTTP writes dates: the parser of the language would take almost anything.
const DATE = /^[A-Z][a-z]{2,8},? .+ GMT$/;

/**
 * Reads the header Retry-After: seconds or a date. Gives milliseconds of 0 to `maxMs`, undefined
 * when there is no such header or it says nothing.
 */
export function retryAfterMs(
  header: string | undefined,
  nowMs: number,
  maxMs: number,
): number | undefined {
  const text = header?.trim() ?? "";
  if (!SECONDS.test(text) && !DATE.test(text)) return undefined;
  const ms = SECONDS.test(text) ? Number(text) * 1_000 : Date.parse(text) - nowMs;
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), maxMs) : undefined;
}
