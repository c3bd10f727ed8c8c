// docs/reference: its examples work on a real server, every rpc has one, and its links lead
// somewhere. That the committed pages are the newest is a check of `npm run verify`.

import { join, posix } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { buildContract, rpcsOf } from "../../tools/reference/contract.ts";
import { type Played, playStory } from "../../tools/reference/play.ts";
import { renderPages } from "../../tools/reference/render.ts";
import { readStory, type Step } from "../../tools/reference/story.ts";

const contract = buildContract(join(import.meta.dirname, "../.."));

/** Problems of a story of one step. */
async function problemsOf(step: Pick<Step, "rpc" | "request">): Promise<readonly string[]> {
  const steps = [{ ...step, isShown: true, answerCount: 1 }];
  const { problems } = await playStory(contract, [{ hooks: {}, answers: {}, steps }]);
  return problems.filter((problem) => problem.startsWith(`${step.rpc}: `));
}

/** Targets of links on a page: its headings, as GitHub names them, and its marks. */
function anchorsOf(page: string): ReadonlySet<string> {
  const headings = [...page.matchAll(/^#+ (.+)$/gm)].map(([, text = ""]) =>
    text
      .toLowerCase()
      .replace(/[^\w -]/g, "")
      .replaceAll(" ", "-"),
  );
  return new Set([...headings, ...[...page.matchAll(/<a id="(\w+)">/g)].map(([, id = ""]) => id)]);
}

describe("the reference", () => {
  let played: Played;

  beforeAll(async () => {
    played = await playStory(contract, readStory());
  });

  test("has an example of every rpc, which a server answers", () => {
    expect(played.problems).toEqual([]);
    const names = rpcsOf(contract).map(({ name }) => name);
    expect([...played.examples.keys()].sort()).toEqual([...names].sort());
    expect(new Set(names).size, "a name of two rpcs").toBe(names.length);
  });

  test("gives the same pages again", async () => {
    const again = await playStory(contract, readStory());
    const pages = renderPages(contract, played.examples);
    expect(renderPages(contract, again.examples)).toEqual(pages);
  });

  test("has a page of every rpc, on which every field with its rules and every error is told", () => {
    const pages = renderPages(contract, played.examples);
    for (const method of rpcsOf(contract)) {
      const page = pages.get(`${method.parent.name}/${method.name}.md`) ?? "";
      for (const field of [...method.input.fields, ...method.output.fields]) {
        const rules = contract.rules.hasRules(field) ? " [^|]{3,} \\|" : "( {2}\\|)?";
        const start = `^\\| (↳ )?\`${field.name}\` \\| [^|]+ \\|`;
        const row = new RegExp(`${start}${rules} [^|]{3,} \\|$`, "m");
        expect(page, `${method.name}: ${field.name}`).toMatch(row);
      }
      expect(page).toContain(`  ${method.parent.typeName}/${method.name}\n`);
    }
  });

  test.each([
    [
      "SessionService/AppendMessages",
      "session_id",
      "required; at most 512 bytes; no control characters",
    ],
    ["SessionService/AppendMessages", "messages", "at most 1,000 entries"],
    ["SessionService/AppendMessages", "turn_end", ""],
    [
      "TaskService/PollTasks",
      "hooks",
      "required; at most 16 entries; no entry empty; 1 to 63 characters of a-z0-9_-, the first a letter",
    ],
    ["TaskService/PollTasks", "lease", "1 to 3,600 seconds"],
    ["EventService/WatchEvents", "start", "required"],
    ["SessionService/ListSessions", "page_size", "at least 0"],
    [
      "types/session",
      "labels",
      "at most 32 entries; values at most 255 bytes; keys 1 to 63 characters of A-Za-z0-9._/-",
    ],
    ["types/session", "metadata", "at most 16,384 bytes; at most 32 levels"],
    ["types/session", "create_time", "output only"],
    ["types/recall", "recency_half_life", "above 0 seconds; at most 3,153,600,000 seconds"],
  ])("tells on %s what %s may hold: %s", (path, field, rules) => {
    const page = renderPages(contract, played.examples).get(`${path}.md`) ?? "";
    const rows = page.split("\n").filter((line) => line.startsWith(`| \`${field}\` |`));
    expect(rows.map((row) => row.split(" | ")[2])).toContain(rules);
  });

  test("has no link that leads nowhere", () => {
    const pages = renderPages(contract, played.examples);
    const broken: string[] = [];
    for (const [path, page] of pages) {
      for (const [, to = "", anchor = ""] of page.matchAll(/\]\((?!https:)([^)#]*)#?([^)]*)\)/g)) {
        const target = to === "" ? path : posix.join(posix.dirname(path), to);
        const found = pages.get(target);
        const isThere = found !== undefined && (anchor === "" || anchorsOf(found).has(anchor));
        if (!isThere) broken.push(`${path}: ${to}#${anchor}`);
      }
    }
    expect(broken).toEqual([]);
  });
});

describe("an example that does not fit", () => {
  test("is named with the field that the contract does not know", async () => {
    const request = { sesionId: "trip" };
    expect(await problemsOf({ rpc: "GetSession", request })).toEqual([
      expect.stringContaining("GetSession: the request does not fit the contract"),
    ]);
  });

  test("is named with what the server says", async () => {
    const request = { sessionId: "nobody" };
    expect(await problemsOf({ rpc: "GetSession", request })).toEqual([
      expect.stringContaining("GetSession: the server refuses it: 5 NOT_FOUND"),
    ]);
  });

  test("is named when there is no such rpc, or no such earlier answer", async () => {
    expect(await problemsOf({ rpc: "GetSesion", request: {} })).toEqual([
      "GetSesion: the contract has no such rpc",
    ]);
    const request = { sessionId: `\${CreateSession session.sessionId}` };
    expect(await problemsOf({ rpc: "GetSession", request })).toEqual([
      "GetSession: no earlier answer of CreateSession has session.sessionId",
    ]);
  });
});
