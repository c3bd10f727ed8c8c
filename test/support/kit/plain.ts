// Plain forms of storage values that compare by content and print well: bytes become text, maps
// become sorted lists, and undefined values are dropped.

/** Converts a value to its plain form. */
export function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return `bytes ${Buffer.from(value).toString("latin1")}`;
  if (value instanceof Map) {
    return [...value]
      .map(([key, of]) => [plain(key), plain(of)])
      .sort((a, b) => (String(a[0]) < String(b[0]) ? -1 : 1));
  }
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, of]) => of !== undefined)
      .map(([key, of]) => [key, plain(of)])
      .sort((a, b) => ((a[0] as string) < (b[0] as string) ? -1 : 1)),
  );
}
