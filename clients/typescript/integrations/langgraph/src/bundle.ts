// Values of a serializer, and facts about them, as the bytes of one record: a line of JSON, then
// the values one after the other.

/** A value as a serializer gives it: the name of its form, and its bytes. */
export type Typed = readonly [type: string, data: Uint8Array];

/** Facts and values. */
export interface Bundle<Facts> {
  readonly facts: Facts;
  readonly values: readonly Typed[];
}

const LINE_END = 10;

/** Makes the bytes of facts and values. */
export function toBytes({ facts, values }: Bundle<unknown>): Buffer {
  const forms = values.map(([type, data]) => [type, data.length]);
  const head = Buffer.from(`${JSON.stringify([facts, ...forms])}\n`);
  return Buffer.concat([head, ...values.map(([, data]) => data)]);
}

/** Reads what `toBytes` made. */
export function fromBytes<Facts>(bytes: Uint8Array): Bundle<Facts> {
  const end = bytes.indexOf(LINE_END);
  const head = Buffer.from(bytes.subarray(0, end)).toString();
  const [facts, ...forms] = JSON.parse(head) as [Facts, ...(readonly [string, number])[]];
  let start = end + 1;
  const values = forms.map(([type, size]): Typed => {
    // A Uint8Array of its own, not a view or a Buffer: a serializer may return it as it is.
    const data = new Uint8Array(bytes.subarray(start, start + size));
    start += size;
    return [type, data];
  });
  return { facts, values };
}
