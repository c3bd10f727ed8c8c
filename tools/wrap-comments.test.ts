import { describe, expect, test } from "vitest";
import { wrapComments } from "./wrap-comments.ts";

const words = (count: number): string => Array.from({ length: count }, () => "word").join(" ");

describe("wrapComments", () => {
  test("moves what does not fit to the next line of the paragraph, and on from there", () => {
    const text = `// ${words(20)} end\n// ${words(19)}\n\nconst a = 1;`;
    const lines = wrapComments(text).split("\n");
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
    expect(lines.join(" ").replaceAll("// ", "")).toBe(
      `${words(20)} end ${words(19)}  const a = 1;`,
    );
  });

  test("starts a line of its own before code, a list and another paragraph", () => {
    const long = `  // ${words(20)}`;
    const last = (next: string): string | undefined =>
      wrapComments(`${long}\n${next}`).split("\n")[1];
    expect(last("  run();")).toBe("  // word");
    expect(last("  // - item")).toBe("  // word");
    expect(last("  //")).toBe("  // word");
  });

  test("leaves code and what fits as they are", () => {
    const text = `const text = "${words(40)}";\n// short\n// lines\n`;
    expect(wrapComments(text)).toBe(text);
  });
});
