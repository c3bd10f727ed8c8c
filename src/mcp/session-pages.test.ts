// Pages of sessions of which many changed in the same millisecond.

import { describe, expect, test } from "vitest";
import type { ListSessionsOptions, MemorySidecar, Session } from "../gen/client/index.ts";
import { placeOf, sessionPage } from "./session-pages.ts";
import { OTHERS_MAX } from "./session-tools.ts";

const REACH = {
  ...{ namespace: "n", userId: "", agentId: "", sessionId: "" },
  ...{ isReadOnly: true, isReference: false },
};

/** Sessions that changed at a time, the last first. */
function changedAt(time: number, ids: readonly string[], userId = ""): Session[] {
  return ids.map((sessionId) => {
    const times = { createTime: new Date(time), updateTime: new Date(time) };
    return { ...times, sessionId, userId, agentId: "", lastSeq: 0n } as unknown as Session;
  });
}

/** Sessions of another user. */
function others(time: number, count: number): Session[] {
  return changedAt(
    time,
    Array.from({ length: count }, (_, number) => `${time} of others ${number}`),
    "bob",
  );
}

/** A client of a server with these sessions, in this order. */
function clientWith(sessions: readonly Session[]): MemorySidecar {
  const listSessions = async function* ({ updateTimeBefore }: ListSessionsOptions) {
    for (const session of sessions) {
      const { updateTime = new Date(0) } = session;
      if (updateTimeBefore === undefined || updateTime < updateTimeBefore) yield session;
    }
  };
  return { listSessions } as unknown as MemorySidecar;
}

/** Reads all pages; gives the ids in each. */
async function pagesOf(sessions: readonly Session[], limit: number): Promise<string[][]> {
  const pages: string[][] = [];
  for (let cursor: string | undefined = ""; cursor !== undefined; ) {
    const start = cursor === "" ? undefined : placeOf(cursor);
    const wish = { start, limit, signal: AbortSignal.timeout(10_000) };
    const page = await sessionPage(clientWith(sessions), REACH, wish);
    pages.push(page.sessions.map(({ session_id: id }) => id));
    cursor = page.nextCursor;
    expect(pages.length, "pages").toBeLessThan(sessions.length);
  }
  return pages;
}

describe("pages of sessions", () => {
  test("give those of one millisecond once each", async () => {
    const sessions = [...changedAt(9, ["a", "b", "c", "d"]), ...changedAt(8, ["e", "f"])];
    const pages = await pagesOf(sessions, 3);
    expect(pages).toEqual([
      ["a", "b", "c"],
      ["d", "e", "f"],
    ]);
  });

  test("give none twice when a page ends at the sessions of others", async () => {
    const sessions = [
      ...changedAt(9, ["a"]),
      ...changedAt(8, ["b"]),
      ...others(8, OTHERS_MAX + 1),
      ...changedAt(8, ["c"]),
      ...changedAt(7, ["d"]),
    ];
    expect(await pagesOf(sessions, 100)).toEqual([["a"], ["b", "c", "d"]]);
  });

  test("go on behind any number of others of one millisecond", async () => {
    const sessions = [
      ...changedAt(9, ["a"]),
      ...others(9, 2 * OTHERS_MAX + 2),
      ...changedAt(9, ["b", "c"]),
      ...others(8, 2 * OTHERS_MAX + 2),
      ...changedAt(7, ["d"]),
    ];
    expect((await pagesOf(sessions, 100)).flat()).toEqual(["a", "b", "c", "d"]);
    expect((await pagesOf(sessions, 1)).flat()).toEqual(["a", "b", "c", "d"]);
  });

  test("repeat those of the millisecond of a session that went between two pages", async () => {
    const [a, b, c] = changedAt(9, ["a", "b", "c"]) as [Session, Session, Session];
    const wish = { limit: 2, signal: AbortSignal.timeout(10_000) };
    const first = await sessionPage(clientWith([a, b, c]), REACH, { ...wish, start: undefined });
    const start = placeOf(first.nextCursor ?? "");
    const second = await sessionPage(clientWith([a, c]), REACH, { ...wish, start });
    expect(second.sessions.map(({ session_id: id }) => id)).toEqual(["a", "c"]);
  });
});
