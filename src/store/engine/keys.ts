// Parts of keys. A key is a text whose characters are bytes (latin1): such texts compare like the
// bytes, hash fast in a Map, and are written to LMDB as they are. Numbers are u64 big endian. A
// text is preceded by its length (u16) unless it is the last part.
//
// Keys of the table `message` are a message number, of `journal` a journal number, of `event` see
// store/tables/event-tables.ts. Keys of `index` begin with the byte of a table that is declared in
// store/tables.

const TWO_32 = 4_294_967_296;

/** A number as 8 bytes. */
export function u64(value: number): string {
  const high = Math.floor(value / TWO_32);
  const low = value >>> 0;
  return String.fromCharCode(
    high >>> 24,
    (high >>> 16) & 255,
    (high >>> 8) & 255,
    high & 255,
    low >>> 24,
    (low >>> 16) & 255,
    (low >>> 8) & 255,
    low & 255,
  );
}

/** The number in 8 bytes of a key. */
export function readU64(key: string, start: number): number {
  let value = 0;
  for (let i = start; i < start + 8; i++) {
    value = value * 256 + key.charCodeAt(i);
  }
  return value;
}

/** The number at the end of a key. */
export function lastNumber(key: string): number {
  return readU64(key, key.length - 8);
}

/** A number as 2 bytes. */
export function u16(value: number): string {
  return String.fromCharCode(value >>> 8, value & 255);
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    if (text.charCodeAt(i) > 127) return false;
  }
  return true;
}

/** A text as a key part without its length. */
export function textPart(text: string): string {
  return isAscii(text) ? text : Buffer.from(text, "utf8").toString("latin1");
}

/** The text of a key part. */
export function readText(part: string): string {
  return isAscii(part) ? part : Buffer.from(part, "latin1").toString("utf8");
}

/** A text as a key part behind its length. */
export function sized(text: string): string {
  const part = textPart(text);
  return u16(part.length) + part;
}

/** The part with its length at a place in a key, and where it ends. */
export function readSized(key: string, start: number): { text: string; end: number } {
  const length = key.charCodeAt(start) * 256 + key.charCodeAt(start + 1);
  const end = start + 2 + length;
  return { text: readText(key.slice(start + 2, end)), end };
}

/** The least key above every key with this prefix. */
export function afterPrefix(prefix: string): string {
  let length = prefix.length;
  while (length > 0 && prefix.charCodeAt(length - 1) === 255) {
    length--;
  }
  if (length === 0) throw new Error("There is no key above this prefix.");
  const last = String.fromCharCode(prefix.charCodeAt(length - 1) + 1);
  return prefix.slice(0, length - 1) + last;
}

/** Every key with a prefix that numbers follow: after one number, below another, or all. */
export function numbersUnder(
  prefix: string,
  { after = -1, below }: { readonly after?: number | undefined; readonly below?: number } = {},
): { readonly start: string; readonly end: string } {
  const end = below === undefined ? afterPrefix(prefix) : prefix + u64(below);
  return { start: prefix + u64(after + 1), end };
}

/** Every key with a prefix that a time in ms follows which is over by now. */
export function timesUnder(prefix: string, nowMs: number): ReturnType<typeof numbersUnder> {
  return numbersUnder(prefix, { below: Math.max(0, nowMs) + 1 });
}
