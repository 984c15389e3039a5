# syntax=docker/dockerfile:1
# One image for every role of this project: its configuration, its tools, their dependencies, its MCP servers.
# The command says the role: see compose.yaml, or the manifests of `signalbox deploy kubernetes`.

FROM node:24-slim AS install
WORKDIR /app
COPY . .
# The locked versions, without the embedded Postgres: here the database is another container. A dependency that must run a script
# when it is installed wants this line without --ignore-scripts.
RUN npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund

FROM node:24-slim
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=7420 \
    SIGNALBOX_DATA_DIR=/data
WORKDIR /app
# Of root: a tool that escapes finds nothing here that it may change.
COPY --from=install /app /app
RUN mkdir -p /data && chown node:node /data
USER node
EXPOSE 7420
# No init stands before it: its environment, which holds the secrets of the role, could be read from /proc/1/environ.
ENTRYPOINT ["node", "/app/node_modules/signalbox/bin/signalbox.js"]
CMD ["serve", "--no-migrate"]
