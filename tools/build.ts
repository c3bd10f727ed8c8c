// `npm run build`: the server into dist/ and the TypeScript client into its own dist/.
//
//   npm run build             both
//   npm run build -- server   only the server, as the image does

import { buildPart, PARTS } from "./package/build-part.ts";

const asked = process.argv.slice(2);
for (const name of asked.length === 0 ? Object.keys(PARTS) : asked) {
  if (!buildPart(name)) process.exitCode = 1;
}
