import { expect, test } from "vitest";
import { SHARED_SCOPE } from "./memory.ts";
import {
  meansScope,
  namedScopes,
  promotionScope,
  type ScopeFilter,
  visibleScopes,
} from "./scopes.ts";

const scopeOf = (userId: string, agentId: string, sessionId: string) => ({
  ...{ userId, agentId, sessionId },
});

test("everybody sees what is shared, and what is theirs", () => {
  expect(visibleScopes(SHARED_SCOPE)).toEqual([SHARED_SCOPE]);
  expect(visibleScopes(scopeOf("u", "", "s"))).toEqual([
    scopeOf("u", "", "s"),
    scopeOf("u", "", ""),
    scopeOf("", "", "s"),
    SHARED_SCOPE,
  ]);
  const all = visibleScopes(scopeOf("u", "a", "s"));
  expect(new Set(all.map((scope) => JSON.stringify(scope))).size).toBe(8);
});

test("what comes of a session is its user's, or its own", () => {
  const scope = promotionScope(scopeOf("u", "a", "s"), { agentScope: false });
  expect(scope).toEqual(scopeOf("u", "", ""));
  expect(promotionScope(scopeOf("u", "a", "s"), { agentScope: true })).toEqual(
    scopeOf("u", "a", ""),
  );
  expect(promotionScope(scopeOf("", "a", "s"), { agentScope: true })).toEqual(
    scopeOf("", "a", "s"),
  );
  expect(promotionScope(scopeOf("", "a", "s"), { agentScope: false })).toEqual(
    scopeOf("", "", "s"),
  );
});

test.each<readonly [ScopeFilter, readonly string[]]>([
  [{ kind: "everyone" }, ["", "u", "v", "u a", "a", "u a s", "s"]],
  [{ kind: "visible-to", scope: SHARED_SCOPE }, [""]],
  [{ kind: "visible-to", scope: scopeOf("u", "", "") }, ["", "u"]],
  [{ kind: "visible-to", scope: scopeOf("u", "a", "") }, ["", "u", "u a", "a"]],
  [{ kind: "visible-to", scope: scopeOf("", "a", "s") }, ["", "a", "s"]],
  [{ kind: "exact", scope: SHARED_SCOPE }, [""]],
  [{ kind: "exact", scope: scopeOf("u", "", "") }, ["u"]],
  [{ kind: "exact", scope: scopeOf("u", "a", "s") }, ["u a s"]],
  [{ kind: "owned-by", scope: scopeOf("u", "", "") }, ["u", "u a", "u a s"]],
  [{ kind: "owned-by", scope: scopeOf("", "a", "") }, ["u a", "a", "u a s"]],
  [{ kind: "owned-by", scope: scopeOf("u", "a", "s") }, ["u a s"]],
])("the filter %o means the scopes %o", (filter, expected) => {
  const scopes = {
    ...{ "": SHARED_SCOPE, u: scopeOf("u", "", ""), v: scopeOf("v", "", "") },
    ...{ "u a": scopeOf("u", "a", ""), a: scopeOf("", "a", "") },
    ...{ "u a s": scopeOf("u", "a", "s"), s: scopeOf("", "", "s") },
  };
  const meant = Object.entries(scopes).filter(([, scope]) => meansScope(scope, filter));
  expect(meant.map(([name]) => name)).toEqual(expected);
  const named = namedScopes(filter);
  if (named === undefined) return;
  for (const scope of Object.values(scopes)) {
    expect(named.some((one) => JSON.stringify(one) === JSON.stringify(scope))).toBe(
      meansScope(scope, filter),
    );
  }
});
