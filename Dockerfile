# syntax=docker/dockerfile:1
# One image for every role; the command says which: `serve`, `worker`, `migrate`, or any other of `signalbox`.

FROM node:24-slim AS install
WORKDIR /app
COPY . .
# The locked versions, without tools and without the embedded Postgres: here the database is another container.
RUN npm ci --omit=dev --omit=optional --ignore-scripts && npm cache clean --force

FROM node:24-slim
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
