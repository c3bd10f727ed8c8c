// Provokes the failures of the rpcs of AdminService.

import { newErasure } from "../../../../src/erase/rules/erasure.ts";
import { LIMITS } from "../../../../src/kit/limits.ts";
import type { Store } from "../../../../src/store/store.ts";
import type { Ways } from "./scene.ts";

/**
 * Has as many erasures under way as a namespace may. They are saved behind the back of the server,
 * which begins them with the next one.
 */
export async function fillErasures(store: Store, namespace: string): Promise<void> {
  for (let at = 0; at < LIMITS.erasures; at++) {
    const ref = { namespace, erasureId: `waiting-${at}` };
    const nobody = { kind: "user", userId: "nobody" } as const;
    const erasure = newErasure(namespace, nobody, { ...ref, nowMs: 0 });
    await store.changeErasure(ref, () => ({ kind: "save", result: undefined, erasure }));
  }
}

export const ADMIN_WAYS: Ways = {
  "EraseSubject ERASURE_LIMIT_REACHED": async ({ client, fresh, server }) => {
    const namespace = fresh();
    await fillErasures(server.store, namespace);
    const subject = { subject: { $case: "userId", value: "nobody" } } as const;
    return await client.fail("eraseSubject", { namespace, subject });
  },
  "GetErasure ERASURE_NOT_FOUND": ({ client, fresh }) =>
    client.fail("getErasure", { namespace: fresh(), erasureId: "gone" }),
};
