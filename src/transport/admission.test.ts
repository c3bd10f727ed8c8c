import { describe, expect, it } from "vitest";
import { Admission } from "./admission.ts";

const limits = { callsMax: 2, streamsMax: 1, pollsMax: 3 };

describe("admission", () => {
  it("counts calls that work and calls that wait apart", () => {
    const admission = new Admission(limits);
    for (let at = 0; at < 3; at++) admission.enterPoll();
    expect(() => admission.enterPoll()).toThrow("3 calls wait already");
    for (let at = 0; at < 2; at++) admission.enterCall();
    expect(() => admission.enterCall()).toThrow("The server runs 2 calls already");
    expect(admission.running).toBe(2);
    admission.leavePoll();
    expect(() => admission.enterCall()).toThrow();
    admission.enterPoll();
  });

  it("is idle when nobody works or waits", async () => {
    const admission = new Admission(limits);
    await admission.idle();
    admission.enterCall();
    admission.enterPoll();
    let isIdle = false;
    const idle = admission.idle().then(() => {
      isIdle = true;
    });
    admission.leaveCall();
    await Promise.resolve();
    expect(isIdle).toBe(false);
    admission.leavePoll();
    await idle;
    expect(isIdle).toBe(true);
  });
});
