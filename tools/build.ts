// `npm run build`: the server into dist/ and the TypeScript client into its own dist/.
//
//   npm run build             both
//   npm run build -- server   only the server, as the image does
//   npm run build -- NAME     an integration of the TypeScript client, with the client

import { buildPart, PARTS } from "./package/build-part.ts";
import { buildIntegration, INTEGRATIONS } from "./package/integrations.ts";

const asked = process.argv.slice(2);
for (const name of asked.length === 0 ? Object.keys(PARTS) : asked) {
  const isBuilt = INTEGRATIONS.includes(name) ? buildIntegration(name) : buildPart(name);
  if (!isBuilt) process.exitCode = 1;
}
