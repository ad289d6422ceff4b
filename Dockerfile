# Image of the service: a bundle and the files that it reads, without packages or PostgreSQL. It runs as an unprivileged user and
# writes only below /data and /tmp. deploy/compose.yaml adds a database, Valkey and a TLS proxy.
ARG NODE_IMAGE=node:24-bookworm-slim

# Builds the bundle of the service, the documentation pages, the downloads and the developer settings page.
FROM ${NODE_IMAGE} AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
COPY cli/package.json cli/
COPY connect/package.json connect/
COPY contract/package.json contract/
COPY portal/package.json portal/
COPY server/package.json server/
COPY simulator/package.json simulator/
RUN npm ci --omit=dev --ignore-scripts --workspace=cli --workspace=portal --include-workspace-root=false
COPY tsconfig.json ./
COPY cli cli
COPY connect connect
COPY contract contract
COPY portal portal
COPY server server
COPY simulator simulator
COPY client client
COPY game game
COPY examples/python/chancery.py examples/python/README.md examples/python/
COPY CHANGELOG.md LICENSE ./
COPY docs/errors docs/errors
COPY docs/guides docs/guides
RUN node cli/build.ts
RUN node portal/build.ts
RUN node --disable-warning=ExperimentalWarning server/build-pages.ts

FROM ${NODE_IMAGE}
WORKDIR /app
RUN ln -s /app/cli/bin/chancery.js /usr/local/bin/chancery \
  && install -d -o node -g node -m 711 /data
COPY LICENSE ./
COPY cli/package.json cli/
COPY cli/bin cli/bin
COPY cli/start cli/start
COPY connect/sql connect/sql
COPY deploy/docker/healthcheck.js deploy/docker/
COPY server/src/store/migrations server/src/store/migrations
COPY --from=build /build/cli/dist cli/dist
COPY --from=build /build/portal/dist portal/dist
COPY --from=build /build/server/dist server/dist

# V8's heap: docs/decisions/0036 and 0056.
ENV NODE_ENV=production \
  NODE_OPTIONS="--max-semi-space-size=16 --max-old-space-size=1024" \
  CHANCERY_DATA_DIR=/data
VOLUME /data
EXPOSE 8080 8081
USER node

# Readiness, not liveness: a container without its database gets no traffic.
HEALTHCHECK --interval=5s --timeout=3s --start-period=30s --retries=2 CMD ["node", "/app/deploy/docker/healthcheck.js"]

# Exec form: signals reach the service directly.
ENTRYPOINT ["node", "/app/cli/start/main.js"]
CMD ["serve"]
