// Batches of items, and the sizes that calls of the server take.

/** Maximum size of a payload whose message also holds a copy of its texts: it takes 1 MiB. */
export const MAX_PAYLOAD_BYTES = 458_752;
/** Length of a text in a message whose whole is in a record, in UTF-16 units. */
export const CUT_CHARS = 16_384;
/** Size to which batches are filled: the rest of 4 MiB is left for names and metadata. */
export const BATCH_BYTES = 3 * 1024 * 1024;

/**
 * Splits items into batches, in their order, each within every limit. An item that is above a limit
 * by itself has a batch of its own.
 */
export function* batchesOf<Item, Measure extends string>(
  items: Iterable<Item>,
  costOf: (item: Item) => Readonly<Record<Measure, number>>,
  limits: Readonly<Record<Measure, number>>,
): Generator<readonly Item[]> {
  const measures = Object.keys(limits) as Measure[];
  let batch: Item[] = [];
  let total = new Map<Measure, number>();
  for (const item of items) {
    const cost = costOf(item);
    const sum = new Map(measures.map((one) => [one, (total.get(one) ?? 0) + cost[one]]));
    const isFull = measures.some((one) => (sum.get(one) ?? 0) > limits[one]);
    if (batch.length > 0 && isFull) {
      yield batch;
      batch = [];
      total = new Map(measures.map((one) => [one, cost[one]]));
    } else {
      total = sum;
    }
    batch.push(item);
  }
  if (batch.length > 0) yield batch;
}
