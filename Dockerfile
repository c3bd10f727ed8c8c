# The server as an image.
#
#   docker build -t memory-sidecar .
#   docker run -v memory:/data --network container:my-agent memory-sidecar
#
# It listens on loopback and on a socket in /data, as in a pod, where containers share the network.
# To publish the port, give it an address and a token file. Give settings as variables: the health
# check reads them too.
#
#   docker run -p 50151:50151 -v memory:/data -v ./tokens:/tokens:ro \
#     -e MEMORY_SIDECAR_LISTEN=0.0.0.0:50151 -e MEMORY_SIDECAR_TOKEN_FILE=/tokens memory-sidecar
#
# docs/operations.md has more, with TLS.
#
# test/e2e/image.test.ts runs these steps in clean folders, so every COPY is known to be enough.

FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY clients/typescript/package.json clients/typescript/
# Without scripts: what `prepare` makes is made by the build, which has the sources.
RUN npm ci --no-audit --no-fund --ignore-scripts
COPY tsconfig.json tsconfig.build.json buf.yaml buf.gen.yaml ./
COPY clients/typescript/buf.gen.yaml clients/typescript/
COPY proto proto
COPY third_party third_party
COPY tools tools
COPY src src
# `memory-sidecar mcp` calls a server through the client.
COPY clients/typescript/src clients/typescript/src
RUN npm run build -- server
# The image brings Node itself; links to development tools and to the client lead nowhere.
RUN npm prune --omit=dev --no-audit --no-fund \
  && rm -rf node_modules/node-linux-* node_modules/@memory-sidecar node_modules/.bin
RUN mkdir -m 0700 data

FROM node:24-slim
ENV NODE_ENV=production
# More threads for the commits of the store than the four that Node starts with.
ENV UV_THREADPOOL_SIZE=16
# One arena of the C library for all threads: 30 MiB less under load.
ENV MALLOC_ARENA_MAX=1
ENV MEMORY_SIDECAR_DATA_DIR=/data
WORKDIR /app
COPY LICENSE package.json ./
COPY proto/image.binpb proto/
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build --chown=node:node /app/data /data
USER node
VOLUME /data
EXPOSE 50151
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "dist/main.js", "health"]
ENTRYPOINT ["node", "--max-semi-space-size=16", "dist/main.js", "serve"]
