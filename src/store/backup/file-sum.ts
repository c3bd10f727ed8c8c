import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";

/** The SHA-256 of a file in hexadecimal digits. */
export async function fileSum(path: string): Promise<string> {
  const sum = createHash("sha256");
  for await (const chunk of createReadStream(path)) sum.update(chunk as Buffer);
  return sum.digest("hex");
}
