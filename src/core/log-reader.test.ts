// Goal: every message of a log is found at its seq, erased ones are not, and reading ends with its
// call.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { jsonCodec } from "../../test/support/services/json-codec.ts";
import { startTestServices, type TestServices } from "../../test/support/services/services.ts";
import { policyOf } from "../../test/support/window/policies.ts";
import type { ServiceContext } from "./context.ts";
import { LogReader } from "./log-reader.ts";

const REF = { namespace: "default", sessionId: "s" };
const COUNT = 600;
const ERASED = "m257";

let services: TestServices;

beforeEach(async () => {
  services = await startTestServices();
  await services.sessions.createSession(services.call("CreateSession"), {
    ...REF,
    input: { policy: policyOf([]) },
    encode: () => new Uint8Array(0),
  });
  const messages = Array.from({ length: COUNT }, (_, index) => ({ messageId: `m${index + 1}` }));
  await services.append(REF.sessionId, messages);
  await services.sessions.deleteMessage(services.call("DeleteMessage"), {
    ...REF,
    messageId: ERASED,
    etag: "",
    allowMissing: false,
    encode: () => new Uint8Array(0),
  });
});

afterEach(() => services.stop());

function reader(signal = new AbortController().signal): LogReader {
  return new LogReader({ store: services.store, codec: jsonCodec } as ServiceContext, REF, signal);
}

describe("LogReader", () => {
  test("finds messages at their seqs, in any order", async () => {
    const log = reader();
    for (const seq of [600, 1, 256, 258, 512, 513, 2]) {
      expect((await log.at(seq))?.messageId).toBe(`m${seq}`);
    }
    expect(await log.at(257)).toBeUndefined();
    expect(await log.at(601)).toBeUndefined();
  });

  test("gives the existing messages of a run", async () => {
    const seqs: number[] = [];
    for await (const { seq } of reader().existing({ first: 250, last: 520 })) seqs.push(seq);
    expect(seqs).toEqual(
      Array.from({ length: 271 }, (_, index) => 250 + index).filter((seq) => seq !== 257),
    );
  });

  test("lets other work run while it looks at what is read already", async () => {
    const log = reader();
    let turns = 0;
    let running = true;
    const count = (): void => {
      turns += 1;
      if (running) setImmediate(count);
    };
    setImmediate(count);
    await log.at(1);
    turns = 0;
    for (let look = 0; look < 20_000; look++) await log.at(1);
    running = false;
    expect(turns).toBeGreaterThanOrEqual(4);
  });

  test("ends with its call", async () => {
    await expect(reader(AbortSignal.abort()).at(1)).rejects.toMatchObject({
      reason: "DEADLINE_EXCEEDED",
    });
  });
});
