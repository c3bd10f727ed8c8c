// Ids that an engine may mix up when it builds keys of them.

/** A text of this many bytes in UTF-8, made of the characters given and `x`. */
function ofBytes(count: number, of = "x"): string {
  const size = Buffer.byteLength(of);
  return of.repeat(Math.floor(count / size)) + "x".repeat(count % size);
}

/** Namespaces of which one is the start of another. */
export const NAMESPACES: readonly string[] = [
  "a",
  "aa",
  "a-b",
  "a-",
  "ab",
  "b",
  "default",
  ofBytes(62),
  ofBytes(63),
];

const SIZES = [100, 126, 127, 128, 129, 253, 254, 255, 256, 257, 509, 510, 511, 512];

/** Session ids: prefixes of one another, parts that look like keys, Unicode, lengths at borders. */
export const SESSION_IDS: readonly string[] = [
  "a",
  "a:b",
  "a/b",
  "a b",
  "a ",
  " a",
  "A",
  "aa",
  "b",
  "b:a",
  "1",
  "10",
  "01",
  "default",
  "a:default",
  "\u00e9",
  "e\u0301",
  "\u00ff",
  "\u0100",
  "\u07ff",
  "\u0800",
  "\ufffd",
  "\uffff",
  "\u{10000}",
  "\u{10ffff}",
  "\u{1f468}\u200d\u{1f469}",
  "\u202eabc",
  "\ufeffa",
  "../../etc",
  "__proto__",
  "constructor",
  ...SIZES.map((size) => ofBytes(size)),
  ...SIZES.map((size) => ofBytes(size, "\u{1f600}")),
  ofBytes(512, "\u00e9"),
];

/** Message ids, at most 256 bytes. */
export const MESSAGE_IDS: readonly string[] = SESSION_IDS.filter(
  (id) => Buffer.byteLength(id) <= 256,
);

/** Consumer ids and request ids, at most 128 bytes. */
export const SHORT_IDS: readonly string[] = SESSION_IDS.filter(
  (id) => Buffer.byteLength(id) <= 128,
);
