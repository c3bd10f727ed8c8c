import { expect, test } from "vitest";
import { SHARED_SCOPE } from "./memory.ts";
import { promotionScope, visibleScopes } from "./scopes.ts";

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
