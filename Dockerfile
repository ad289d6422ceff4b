# The service in an image: production packages only, no PostgreSQL, an ordinary user, nothing written but below /data and /tmp.
# deploy/compose.yaml runs it beside a database, a limit store and a proxy that ends TLS.
ARG NODE_IMAGE=node:24-bookworm-slim

# The developer settings page. Of this stage only what it builds goes on.
FROM ${NODE_IMAGE} AS page
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
COPY contract/package.json contract/
COPY portal/package.json portal/
RUN npm ci --omit=dev --ignore-scripts --workspace=portal --include-workspace-root=false
COPY tsconfig.json ./
COPY contract contract
COPY portal portal
RUN node portal/build.ts

# What the service imports. The image brings its Node, and the database is elsewhere: neither is taken from npm.
FROM ${NODE_IMAGE} AS packages
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
COPY cli/package.json cli/
COPY connect/package.json connect/
COPY contract/package.json contract/
COPY server/package.json server/
COPY simulator/package.json simulator/
RUN npm ci --omit=dev --omit=optional --ignore-scripts --workspace=cli --include-workspace-root=false

FROM ${NODE_IMAGE}
WORKDIR /app
RUN ln -s /app/cli/bin/chancery.js /usr/local/bin/chancery \
  && install -d -o node -g node -m 711 /data
COPY --from=packages /build ./
COPY LICENSE ./
COPY cli cli
COPY connect connect
COPY contract contract
COPY docs docs
COPY server server
COPY simulator simulator
COPY deploy/docker/healthcheck.js deploy/docker/
COPY --from=page /build/portal/dist portal/dist
# The service may not write here: what its start reads is made now.
RUN ["node", "--disable-warning=ExperimentalWarning", "/app/cli/start/keep-sources.js"]

# Little memory: docs/decisions/0018.
ENV NODE_ENV=production \
  NODE_OPTIONS=--max-semi-space-size=4 \
  MALLOC_ARENA_MAX=1 \
  CHANCERY_DATA_DIR=/data
VOLUME /data
EXPOSE 8080 8081
USER node

# Ready, not only alive: a container that does not hear its database gets no callers.
HEALTHCHECK --interval=5s --timeout=3s --start-period=30s --retries=2 CMD ["node", "/app/deploy/docker/healthcheck.js"]

# No shell between: the signal that asks for the end reaches the service itself.
ENTRYPOINT ["node", "/app/cli/start/main.js"]
CMD ["serve"]
