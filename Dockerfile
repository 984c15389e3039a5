# syntax=docker/dockerfile:1
# One image for every role; the command says which: `serve`, `worker`, `migrate`, or any other of `signalbox`.

FROM node:24-slim AS install
WORKDIR /app
COPY . .
# The locked versions, without tools and without the embedded Postgres: here the database is another container.
RUN npm ci --omit=dev --omit=optional --ignore-scripts && npm cache clean --force

FROM node:24-slim AS run
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=7420 \
    SIGNALBOX_CONFIG=/app/config/signalbox.config.json \
    SIGNALBOX_DATA_DIR=/data
WORKDIR /app
COPY --from=install /app /app
# What may be written is /data alone; a configuration below /app resolves `import … from 'signalbox'`.
RUN mkdir -p /app/config /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 7420
ENTRYPOINT ["node", "/app/packages/cli/bin/signalbox.js"]
CMD ["serve"]

# For the service `worker-sandbox` alone: `docker build --target sandbox`. It gives each command a user of its own, which takes
# root in here; commands never have it.
FROM run AS sandbox
USER root
RUN apt-get update -qq \
 && apt-get install -y -qq --no-install-recommends bubblewrap \
 && rm -rf /var/lib/apt/lists/*

# Without a target, and for every other service.
FROM run
USER node
