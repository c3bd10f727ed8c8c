import { expect, test } from "vitest";
import type { MemoryScope } from "../../memory/rules/memory.ts";
import type { ScopeFilter } from "../../memory/rules/scopes.ts";
import { sessionPasses } from "./item-tests.ts";

const scopeOf = (userId = "", agentId = "", sessionId = ""): MemoryScope => {
  return { userId, agentId, sessionId };
};

const SESSIONS = [
  scopeOf("", "", "none"),
  scopeOf("u", "", "plain"),
  scopeOf("u", "a", "agent"),
  scopeOf("u", "b", "other"),
  scopeOf("v", "", "theirs"),
];

test.each<readonly [ScopeFilter, readonly string[]]>([
  [{ kind: "everyone" }, ["none", "plain", "agent", "other", "theirs"]],
  [{ kind: "visible-to", scope: scopeOf() }, ["none"]],
  [{ kind: "visible-to", scope: scopeOf("u") }, ["none", "plain", "agent", "other"]],
  [{ kind: "visible-to", scope: scopeOf("u", "a") }, ["none", "plain", "agent"]],
  [{ kind: "visible-to", scope: scopeOf("u", "", "plain") }, ["none", "plain", "agent", "other"]],
  [{ kind: "exact", scope: scopeOf() }, ["none"]],
  [{ kind: "exact", scope: scopeOf("u") }, ["plain", "agent", "other"]],
  [{ kind: "exact", scope: scopeOf("u", "a") }, ["agent"]],
  [{ kind: "exact", scope: scopeOf("u", "", "plain") }, ["plain"]],
  [{ kind: "owned-by", scope: scopeOf("u") }, ["plain", "agent", "other"]],
  [{ kind: "owned-by", scope: scopeOf("", "b") }, ["other"]],
  [{ kind: "owned-by", scope: scopeOf("", "", "theirs") }, ["theirs"]],
])("the filter %o means the sessions %o", (filter, expected) => {
  const meant = SESSIONS.filter((session) => sessionPasses(session, filter));
  expect(meant.map(({ sessionId }) => sessionId)).toEqual(expected);
});
