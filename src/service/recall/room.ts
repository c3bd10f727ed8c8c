// Takes the oldest of a namespace out of the index when it alone passes the memory of all.

import type { IndexChange } from "../../recall/port.ts";
import type { Container } from "./container.ts";
import type { NamespaceFeed } from "./feed.ts";

/** So much more is taken out than must be, so that not every write takes something out. */
const SLACK_SHARE = 0.05;
/** At one time no more than this share of the records is taken out. */
const OUT_SHARE = 0.25;

/**
 * Takes the records out that are oldest, whole sessions and collections where it can, until about
 * this many bytes are free.
 */
export async function evict(feed: NamespaceFeed, bytes: number): Promise<void> {
  const { size } = feed;
  if (size === undefined || size.items === 0) return;
  const share = Math.min(OUT_SHARE, bytes / size.bytes + SLACK_SHARE);
  let left = Math.ceil(size.items * share);
  const indexed = [...feed.containers.values()]
    .filter(({ told, sent }) => told !== undefined && sent > 0)
    .sort((a, b) => a.updateMs - b.updateMs);
  for (const container of indexed) {
    if (left <= 0) break;
    left -= await container.inTurn(() => takeOut(feed, container, left));
  }
}

/** Takes records out of a container: all, or its oldest. Gives how many. */
async function takeOut(feed: NamespaceFeed, container: Container, wanted: number): Promise<number> {
  const { ref, sent, top } = container;
  if (sent === 0 || container.told === undefined) return 0;
  if (sent <= wanted) {
    const sending = feed.send([{ kind: "drop-container", container: ref }]);
    container.forget();
    Object.assign(container, { isLoaded: true, isCut: true, top });
    await sending;
    return sent;
  }
  const positions = await feed.positionsOf(container);
  const count = Math.min(wanted, positions.length - 1);
  const [first] = positions;
  const last = positions[count - 1];
  if (first === undefined || last === undefined) return 0;
  const run = { firstPosition: first, lastPosition: last };
  const change: IndexChange = { kind: "items", container: ref, ...run, items: [] };
  const sending = feed.send([change], container);
  Object.assign(container, { sent: sent - count, isCut: true });
  await sending;
  return count;
}
