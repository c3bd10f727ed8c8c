// Whom the documents of a shard belong to. Most are shared by everybody, so that only the others
// are kept, by rising item.

import { type MemoryScope, SHARED_SCOPE } from "../../memory/rules/memory.ts";
import { meansScope, type ScopeFilter } from "../../memory/rules/scopes.ts";
import type { SavedPart, SavedReader } from "../rules/saved.ts";
import { CountsColumn, lowerBound, textBytes, wordsColumn } from "./columns.ts";

/** A scope with its key and the entry of a map, without its texts; about. */
const SCOPE_BYTES = 240;

/** The scopes of the documents of a shard. */
export class DocumentScopes {
  readonly #items = wordsColumn();
  /** The number of the scope of each. */
  readonly #numbers = new CountsColumn();
  readonly #scopes: MemoryScope[] = [];
  readonly #byKey = new Map<string, number>();
  #ownBytes = 0;

  get bytes(): number {
    return this.#items.bytes + this.#numbers.bytes + this.#ownBytes;
  }

  /** Notes the scope of a document that is not shared; items come with rising numbers. */
  add(item: number, scope: MemoryScope): void {
    this.#items.push(item);
    this.#numbers.push(this.#numberOf(scope));
  }

  /** Makes the test of documents by whose they are; undefined when all pass. */
  tester(filter: ScopeFilter): ((item: number) => boolean) | undefined {
    const passing = this.#scopes.map((scope) => meansScope(scope, filter));
    const isSharedMeant = meansScope(SHARED_SCOPE, filter);
    if (isSharedMeant && passing.every((passes) => passes)) return undefined;
    return (item) => {
      const number = this.#numberAt(item);
      return number === undefined ? isSharedMeant : passing[number] === true;
    };
  }

  /** The documents that may fail a filter, dead ones among them; undefined when any may. */
  doubtful(filter: ScopeFilter): number[] | undefined {
    if (!meansScope(SHARED_SCOPE, filter)) return undefined;
    return Array.from({ length: this.#items.length }, (_, place) => this.#items.at(place));
  }

  /** The scopes of now. */
  saved(): SavedPart[] {
    const keys = this.#scopes.map(({ userId, agentId, sessionId }) =>
      JSON.stringify([userId, agentId, sessionId]),
    );
    return [...this.#items.saved(), ...this.#numbers.saved(), { texts: keys }];
  }

  /** Reads scopes into a table that has none yet. */
  async load(read: SavedReader): Promise<void> {
    await this.#items.load(read);
    await this.#numbers.load(read);
    await read.texts((key) => {
      const [userId = "", agentId = "", sessionId = ""] = JSON.parse(key) as string[];
      this.#numberOf({ userId, agentId, sessionId });
    });
  }

  /** Gives the table of the items that have a new number, which rise as the old ones do. */
  remapped(newItem: (item: number) => number): DocumentScopes {
    const table = new DocumentScopes();
    for (let place = 0; place < this.#items.length; place++) {
      const item = newItem(this.#items.at(place));
      const scope = this.#scopes[this.#numbers.at(place)];
      if (item >= 0 && scope !== undefined) table.add(item, scope);
    }
    return table;
  }

  #numberAt(item: number): number | undefined {
    const place = lowerBound(this.#items, item);
    const isKnown = place < this.#items.length && this.#items.at(place) === item;
    return isKnown ? this.#numbers.at(place) : undefined;
  }

  #numberOf(scope: MemoryScope): number {
    const { userId, agentId, sessionId } = scope;
    const key = JSON.stringify([userId, agentId, sessionId]);
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    const number = this.#scopes.push(scope) - 1;
    this.#byKey.set(key, number);
    this.#ownBytes += SCOPE_BYTES + textBytes(key) * 2;
    return number;
  }
}
