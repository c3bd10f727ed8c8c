// Plain forms of storage values that compare by content and print well: bytes become text, maps
// become sorted lists, undefined values are dropped, and what an object computes is read.

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
    [...Object.entries(value), ...computed(value)]
      .filter(([, of]) => of !== undefined)
      .map(([key, of]) => [key, plain(of)])
      .sort((a, b) => ((a[0] as string) < (b[0] as string) ? -1 : 1)),
  );
}

/** The values that an object of a class computes when they are asked for. */
function computed(value: object): [string, unknown][] {
  const prototype: object = Object.getPrototypeOf(value) ?? Object.prototype;
  if (prototype === Object.prototype) return [];
  return Object.entries(Object.getOwnPropertyDescriptors(prototype)).flatMap(([key, { get }]) =>
    get === undefined ? [] : [[key, get.call(value)] as [string, unknown]],
  );
}
