import { afterEach, describe, expect, test, vi } from "vitest";
import { armFailpoints, failpoint } from "./failpoint.ts";

const kill = vi.spyOn(process, "kill").mockReturnValue(true);

afterEach(() => {
  armFailpoints("");
  kill.mockClear();
});

describe("failpoints", () => {
  test("do nothing unless armed", () => {
    failpoint("before-commit");
    expect(kill).not.toHaveBeenCalled();
  });

  test("kill the process at the pass they are armed for, and only there", () => {
    armFailpoints("before-commit:2,after-commit:1");
    failpoint("mid-trim");
    failpoint("before-commit");
    expect(kill).not.toHaveBeenCalled();
    failpoint("before-commit");
    expect(kill).toHaveBeenCalledWith(process.pid, "SIGKILL");
    failpoint("before-commit");
    expect(kill).toHaveBeenCalledTimes(1);
  });

  test.each(["before-commit", "before-commit:0", "nowhere:1", "before-commit:1:2"])(
    "refuse %s",
    (spec) => {
      expect(() => armFailpoints(spec)).toThrow("is not a failpoint");
    },
  );
});
