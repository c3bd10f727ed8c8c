// The containers of a shard: sessions, collections and scopes of memories with what filters ask of
// them, and with their items in the order of positions.

import type { MemoryScope } from "../../memory/rules/memory.ts";
import { CollectionTree } from "../rules/collection-tree.ts";
import type { SavedPart, SavedReader } from "../rules/saved.ts";
import type { TfIdfIndex } from "../rules/tf-idf.ts";
import {
  bytesColumn,
  type CountsColumn,
  doublesColumn,
  Interner,
  textBytes,
  wordsColumn,
} from "./columns.ts";
import type { ItemTable } from "./items.ts";
import type { ContainerInfo, ContainerRef } from "./port.ts";

/** The codes of the kinds of containers, and of one that is gone. */
export const KIND = { gone: 0, session: 1, collection: 2, scope: 3 } as const;

/** A container with its list and the entry of a map, without texts; about. */
const CONTAINER_BYTES = 320;
const LABEL_BYTES = 80;
/** A number in a list of V8, with room to grow. */
const LISTED_BYTES = 9;

/** One container. */
export interface Container extends ContainerRef {
  readonly number: number;
  labels: ReadonlyMap<string, string>;
  /** Its items by rising position. */
  readonly items: number[];
  /** A number that is another one, above 0, whenever its items have changed. */
  state: number;
  /** Kept for a collection that was searched by TF-IDF. */
  tfIdf: TfIdfIndex | undefined;
}

/** The saved form of a container. */
interface SavedContainer extends Omit<ContainerInfo, "labels"> {
  readonly number: number;
  readonly labels: readonly (readonly [string, string])[];
}

/** The containers of a shard by number. */
export class ContainerTable {
  readonly kind = bytesColumn();
  /** Numbers of the texts of users and agents. */
  readonly user = wordsColumn();
  readonly agent = wordsColumn();
  /** Of scopes: the session that they are for. */
  readonly session = wordsColumn();
  readonly expireMs = doublesColumn();
  readonly names = new Interner();
  /** Number of living containers. */
  count = 0;
  readonly #all: (Container | undefined)[] = [];
  readonly #byKey = new Map<string, Container>();
  readonly #collections = new CollectionTree<Container>();
  #ownBytes = 0;
  #listed = 0;
  #changes = 0;
  /** No container runs out before this. */
  #nextExpiryMs = Number.POSITIVE_INFINITY;

  get bytes(): number {
    const columns = [this.kind, this.user, this.agent, this.session, this.expireMs];
    const sum = columns.reduce((total, { bytes }) => total + bytes, 0);
    const own = this.#ownBytes + this.#collections.bytes;
    return sum + this.names.bytes + own + this.#listed * LISTED_BYTES;
  }

  /** Number of numbers given, including those of deleted containers. */
  get end(): number {
    return this.#all.length;
  }

  at(number: number): Container | undefined {
    return this.#all[number];
  }

  find({ kind, id }: ContainerRef): Container | undefined {
    return this.#byKey.get(keyOf(kind, id));
  }

  /** The collection of an id, and all below it. */
  collectionsWithin(id: string): Generator<Container> {
    return this.#collections.within(id);
  }

  /** Adds a container, or changes what describes one that is there. */
  put(info: ContainerInfo): Container {
    const container = this.find(info) ?? this.#create(info);
    const { number } = container;
    this.#ownBytes += labelBytes(info.labels) - labelBytes(container.labels);
    container.labels = info.labels.size === 0 ? NO_LABELS : info.labels;
    this.user.data[number] = this.names.add(info.userId);
    this.agent.data[number] = this.names.add(info.agentId);
    this.session.data[number] = this.names.add(info.sessionId ?? "");
    this.expireMs.data[number] = info.expireMs ?? Number.POSITIVE_INFINITY;
    this.#nextExpiryMs = Math.min(this.#nextExpiryMs, info.expireMs ?? Number.POSITIVE_INFINITY);
    return container;
  }

  /** Forgets a container. Its items must be dead, or about to be. */
  remove(container: Container): void {
    this.#byKey.delete(keyOf(container.kind, container.id));
    if (container.kind === "collection") this.#collections.remove(container);
    this.#all[container.number] = undefined;
    this.kind.data[container.number] = KIND.gone;
    this.#ownBytes -= CONTAINER_BYTES + textBytes(container.id) * 2 + labelBytes(container.labels);
    this.#listed -= container.items.length;
    this.count -= 1;
  }

  /** Puts items in the place of those from `start` up to `end` of the list of a container. */
  splice(container: Container, range: { start: number; end: number }, items: readonly number[]) {
    const { start, end } = range;
    // Not by `splice`, whose arguments must fit on the stack.
    const tail = container.items.slice(end);
    container.items.length = start;
    for (const list of [items, tail]) for (const item of list) container.items.push(item);
    this.#listed += items.length - (end - start);
    container.state = ++this.#changes;
  }

  /** Gives all items their new numbers; those that are listed are not dead. */
  renumber(newItem: (item: number) => number): void {
    for (const container of this.#all) {
      const items = container?.items ?? [];
      for (let place = 0; place < items.length; place++) items[place] = newItem(items[place] ?? 0);
    }
  }

  /** Numbers of the containers whose time has run out. */
  expired(nowMs: number): number[] {
    if (nowMs < this.#nextExpiryMs) return [];
    const found: number[] = [];
    const { data } = this.expireMs;
    for (let number = 0; number < this.end; number++) {
      if ((data[number] ?? 0) <= nowMs && this.#all[number] !== undefined) found.push(number);
    }
    // An expiry may have been put off, or what ran out may be gone: then nothing is near.
    if (found.length === 0) this.#nextExpiryMs = this.#earliest();
    return found;
  }

  /** The living containers. */
  *all(): Generator<Container> {
    for (const container of this.#all) if (container !== undefined) yield container;
  }

  /** Whose a container is; the session is set for scopes alone. */
  ownerOf({ number }: Container): MemoryScope {
    return {
      userId: this.names.textOf(this.user.at(number)),
      agentId: this.names.textOf(this.agent.at(number)),
      sessionId: this.names.textOf(this.session.at(number)),
    };
  }

  /** The description of a container. */
  infoOf(container: Container): ContainerInfo {
    const { kind, id, labels } = container;
    const expireMs = this.expireMs.at(container.number);
    return {
      ...{ kind, id, labels },
      ...this.ownerOf(container),
      expireMs: expireMs === Number.POSITIVE_INFINITY ? undefined : expireMs,
    };
  }

  /** The containers of now, without what they hold. */
  saved(): SavedPart[] {
    return [{ texts: this.#rows([...this.all()]) }];
  }

  /** Reads containers into a table that has none yet. */
  async load(read: SavedReader): Promise<void> {
    await read.texts((row) => {
      const { number, labels, ...info } = JSON.parse(row) as SavedContainer;
      while (this.end < number) this.#leaveOut();
      this.put({ ...info, labels: new Map(labels) });
    });
  }

  /** Lists the items of a loaded table, none of which is dead, in their containers. */
  list(items: ItemTable): void {
    for (let item = 0; item < items.count; item++) {
      const container = this.#all[items.container.at(item)];
      if (container === undefined) throw new Error("an item is in no container");
      container.items.push(item);
    }
    const { position } = items;
    // Nearly all stand in the order in which they came.
    for (const { items: held } of this.all()) {
      held.sort((a, b) => position.at(a) - position.at(b));
    }
    this.#listed = items.count;
  }

  *#rows(containers: readonly Container[]): Generator<string> {
    for (const container of containers) {
      const { labels, ...info } = this.infoOf(container);
      const row: SavedContainer = { number: container.number, labels: [...labels], ...info };
      yield JSON.stringify(row);
    }
  }

  /** Gives a number to nobody. */
  #leaveOut(): void {
    this.#all.push(undefined);
    this.kind.push(KIND.gone);
    for (const column of [this.user, this.agent, this.session]) column.push(0);
    this.expireMs.push(Number.POSITIVE_INFINITY);
  }

  #earliest(): number {
    let least = Number.POSITIVE_INFINITY;
    for (let number = 0; number < this.end; number++) {
      if (this.#all[number] !== undefined) least = Math.min(least, this.expireMs.at(number));
    }
    return least;
  }

  #create({ kind, id }: ContainerRef): Container {
    const number = this.#all.length;
    const own = { number, kind, id, labels: NO_LABELS, items: [], tfIdf: undefined };
    const container: Container = { ...own, state: ++this.#changes };
    this.#all.push(container);
    this.#byKey.set(keyOf(kind, id), container);
    if (kind === "collection") this.#collections.add(container);
    this.kind.push(KIND[kind]);
    for (const column of [this.user, this.agent, this.session]) column.push(0);
    this.expireMs.push(Number.POSITIVE_INFINITY);
    this.#ownBytes += CONTAINER_BYTES + textBytes(id) * 2;
    this.count += 1;
    return container;
  }
}

/** Gives the first place in a list of items whose position is not below `position`. */
export function placeOf(
  items: readonly number[],
  positions: CountsColumn,
  position: number,
): number {
  const last = items.length === 0 ? undefined : positions.at(items[items.length - 1] ?? 0);
  // Nearly everything is put at the end.
  if (last === undefined || last < position) return items.length;
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (positions.at(items[middle] ?? 0) < position) low = middle + 1;
    else high = middle;
  }
  return low;
}

const NO_LABELS: ReadonlyMap<string, string> = new Map();

function keyOf(kind: ContainerRef["kind"], id: string): string {
  return `${KIND[kind]}${id}`;
}

function labelBytes(labels: ReadonlyMap<string, string>): number {
  let sum = 0;
  for (const [key, value] of labels) sum += LABEL_BYTES + textBytes(key) + textBytes(value);
  return sum;
}
