// Walks through a list that comes in pages.

/** One page. */
export interface Page<T> {
  readonly items: readonly T[];
  /** Asks for the next page; empty when there is none. */
  readonly nextPageToken: string;
}

/** Yields the items of all pages. A page is asked for when the one before is used up. */
export async function* walkPages<T>(
  load: (pageToken: string) => Promise<Page<T>>,
): AsyncGenerator<T, void, undefined> {
  let pageToken = "";
  do {
    const page = await load(pageToken);
    yield* page.items;
    pageToken = page.nextPageToken;
  } while (pageToken !== "");
}

/** The items of all pages. */
export async function collect<T>(pages: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of pages) items.push(item);
  return items;
}
