#!/usr/bin/env bash
# Generates the TypeScript types of the two documents and the JSON Schema of scenario files; `--check` compares them with
# the committed ones instead.
# openapi-typescript needs TypeScript 5, which the project does not have: both are fetched beside it.
set -euo pipefail
cd "$(dirname "$0")/.."
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
for pair in openapi:api control:control; do
  generated=${pair##*:}.gen.ts
  npx -y -p openapi-typescript@7.13.0 -p typescript@5.9.3 openapi-typescript "spec/${pair%%:*}.yaml" -o "$out/$generated" >/dev/null
  if [ "${1:-}" = --check ]; then
    diff -u "src/openapi/$generated" "$out/$generated" || { echo "run: npm run generate" >&2; exit 1; }
  else
    cp "$out/$generated" src/openapi/
  fi
done
# The schema is of the code itself, which a test can run: it compares, or with `-u` writes.
update=-u
if [ "${1:-}" = --check ]; then update=; fi
npx vitest run test/scenarios/editor-schema.test.ts -t 'is the one in spec/' --reporter=dot $update >"$out/schema.log" 2>&1 || {
  cat "$out/schema.log"
  echo "run: npm run generate" >&2
  exit 1
}
