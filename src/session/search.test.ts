// Goal: searches share the server: a few run at a time, others wait their turn or are sent away,
// nobody waits for a search, and a search ends with its call.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  startTestServices,
  storeWith,
  type TestServices,
} from "../../test/support/services/services.ts";
import type { SessionMatch } from "../core/window-api.ts";
import type { Call } from "../kit/call.ts";
import type { MessageQuery, Store } from "../store/store.ts";

const EVERYONE = { kind: "everyone" } as const;

/** Holds every page of messages back until a test lets it go. */
class Gate {
  held: (() => void)[] = [];
  isOpen = true;
  pages = 0;

  wrap(store: Store): Store {
    const listMessages: Store["listMessages"] = async (ref, query: MessageQuery) => {
      this.pages += 1;
      if (!this.isOpen) await new Promise<void>((resolve) => this.held.push(resolve));
      return await store.listMessages(ref, query);
    };
    return storeWith(store, { listMessages });
  }

  open(): void {
    this.isOpen = true;
    for (const release of this.held.splice(0)) release();
  }
}

let gate: Gate;
let services: TestServices;

beforeEach(async () => {
  gate = new Gate();
  services = await startTestServices({}, { wrapStore: (store) => gate.wrap(store) });
  for (const id of ["a", "b", "c"]) {
    await services.append(id, [{ text: `word ${id}` }, { text: "word" }]);
  }
});

afterEach(async () => {
  gate.open();
  await services.stop();
});

async function search(call: Call = services.call("Recall")): Promise<readonly SessionMatch[]> {
  const { matches } = await services.sessions.searchSessions(call, {
    ...{
      namespace: "default",
      query: "word",
      scope: EVERYONE,
      labels: new Map(),
      sessionIds: [],
      excludeSessionIds: [],
    },
    ...{ sessionIdPrefix: "", minScore: undefined, offset: 0, limit: 5, hitsPerSession: 1 },
  });
  return matches;
}

/** Lets everything run that can run. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

describe("a search", () => {
  test("finds what every page holds", async () => {
    expect((await search()).map(({ sessionId, score }) => [sessionId, score])).toEqual([
      ["a", 2],
      ["b", 2],
      ["c", 2],
    ]);
  });

  test("holds no page beside the one it looks at", async () => {
    gate.isOpen = false;
    const found = search();
    await settle();
    expect(gate.pages).toBe(1);
    gate.open();
    await found;
    // Three to look for words, and one for the hit of each session.
    expect(gate.pages).toBe(6);
  });

  test("lets an append go on beside it", async () => {
    gate.isOpen = false;
    const order: string[] = [];
    const found = search().then(() => order.push("search"));
    await settle();
    await services.append("d", [{ text: "beside" }]).then(() => order.push("append"));
    expect(order).toEqual(["append"]);
    gate.open();
    await found;
    expect(order).toEqual(["append", "search"]);
  });

  test("lets other work run between two pages", async () => {
    let turns = 0;
    let running = true;
    const count = (): void => {
      turns += 1;
      if (running) setImmediate(count);
    };
    setImmediate(count);
    await search();
    running = false;
    expect(turns).toBeGreaterThan(2);
  });

  test("runs beside one other; a third waits, and many are sent away", async () => {
    gate.isOpen = false;
    const running = [search(), search()];
    await settle();
    expect(gate.pages).toBe(2);
    // Of the 16 that may wait, one namespace gets three quarters.
    const waiting = Array.from({ length: 12 }, () => search());
    await settle();
    expect(gate.pages).toBe(2);
    await expect(search()).rejects.toMatchObject({
      reason: "OVERLOADED",
      detail: { metadata: { limit: 12 } },
    });
    gate.open();
    const all = await Promise.all([...running, ...waiting]);
    expect(all.every((matches) => matches.length === 3)).toBe(true);
    expect(await search()).toHaveLength(3);
  });

  test("ends when its call does, running or waiting, and gives its place on", async () => {
    gate.isOpen = false;
    const calls = [0, 1, 2].map(() => new AbortController());
    const [first, second, third] = calls.map(({ signal }) =>
      search({ ...services.call("Recall"), signal }).then(
        () => "found",
        (error: { reason: string }) => error.reason,
      ),
    );
    await settle();
    const fourth = search();
    calls[2]?.abort();
    expect(await third).toBe("DEADLINE_EXCEEDED");
    calls[0]?.abort();
    gate.open();
    expect(await first).toBe("DEADLINE_EXCEEDED");
    expect(await second).toBe("found");
    expect(await fourth).toHaveLength(3);
    calls[1]?.abort();
    await expect(
      search({ ...services.call("Recall"), signal: calls[1]?.signal as AbortSignal }),
    ).rejects.toMatchObject({ reason: "DEADLINE_EXCEEDED" });
  });

  test("leaves out a session that is deleted meanwhile", async () => {
    gate.isOpen = false;
    const found = search();
    await settle();
    await services.sessions.deleteSession(services.call("DeleteSession"), {
      namespace: "default",
      sessionId: "a",
      etag: "",
      allowMissing: false,
      encode: () => new Uint8Array(0),
    });
    gate.open();
    expect((await found).map(({ sessionId }) => sessionId)).toEqual(["b", "c"]);
  });
});
