FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Without scripts: `prepare` would build before the sources are here.
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build

FROM node:24-slim
LABEL org.opencontainers.image.title="field-sandbox" \
      org.opencontainers.image.description="A sandbox of a field-service partner API" \
      org.opencontainers.image.licenses="MIT"
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# npm leaves its cache, its logs and compiled code of its own behind. Types and source maps are for development.
RUN npm ci --omit=dev --ignore-scripts && rm -rf /root/.npm /tmp/node-compile-cache \
 && find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete
COPY LICENSE ./
COPY spec ./spec
COPY scenarios ./scenarios
COPY docs ./docs
COPY --from=build /app/dist ./dist

ENV NODE_ENV=production SANDBOX_HOST=0.0.0.0
# By number, so that a cluster can tell that it is not root. Nothing is written below /app.
USER 1000:1000
# Not the port of https: a CI waits for what is exposed, and that one is open with SANDBOX_TLS alone. -p reaches it anyway.
EXPOSE 4600
HEALTHCHECK --interval=2s --timeout=2s --start-period=1s --retries=15 CMD ["node", "/app/dist/main.js", "health"]
# Young objects get more room: of a large batch nearly all stay, and are moved once less.
ENTRYPOINT ["node", "--max-semi-space-size=64", "/app/dist/main.js"]
