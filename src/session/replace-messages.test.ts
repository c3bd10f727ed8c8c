import { expect, test } from "vitest";
import { draftOf, toBytes } from "../../test/support/services/json-codec.ts";
import { startTestServices, storeWith } from "../../test/support/services/services.ts";

/** Services whose session gets another message whenever it was looked at, so many times. */
async function busy(times: number, onLook: (count: number) => void = () => {}) {
  let count = 0;
  const services = await startTestServices(
    {},
    {
      wrapStore: (store) =>
        storeWith(store, {
          readSession: async (ref) => {
            const session = await store.readSession(ref);
            if (session !== undefined && count < times) {
              count += 1;
              onLook(count);
              await services.append("s", [{ text: `other ${count}` }]);
            }
            return session;
          },
        }),
    },
  );
  await services.append("s", [{ text: "a" }, { text: "b" }]);
  const replace = (signal?: AbortSignal) =>
    services.sessions.replaceMessages(
      { ...services.call("ReplaceMessages"), ...(signal === undefined ? {} : { signal }) },
      {
        ...{ namespace: "default", sessionId: "s", fromSeq: 2, drafts: [draftOf({ text: "c" })] },
        ...{ keepCommonPrefix: false, createSession: false },
        encode: ({ deleted, lastSeq }) => toBytes({ count: deleted.messageCount, lastSeq }),
      },
    );
  const texts = async () =>
    (await services.store.readWindow({ namespace: "default", sessionId: "s" }))?.window.length;
  return { services, replace, texts, looks: () => count };
}

test("a session that others write to is looked at again until it stands still", async () => {
  const { replace, texts, looks } = await busy(3);
  const answer = JSON.parse(Buffer.from(await replace()).toString());
  expect([answer, looks()]).toEqual([{ count: 4, lastSeq: 6 }, 3]);
  expect(await texts()).toBe(2);
});

test("a caller that has gone ends it, and nothing is replaced", async () => {
  const controller = new AbortController();
  const { replace, texts } = await busy(1_000, (count) => {
    if (count === 3) controller.abort();
  });
  await expect(replace(controller.signal)).rejects.toMatchObject({ reason: "DEADLINE_EXCEEDED" });
  expect(await texts()).toBe(5);
});
