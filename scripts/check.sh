#!/usr/bin/env bash
# Runs every check, one after another, and stops at the first failure. docs/contributing/testing.md lists the suites.
set -euo pipefail
cd "$(dirname "$0")/.."
export REDOCLY_SUPPRESS_UPDATE_NOTICE=true

step() {
  printf '\n== %s\n' "$1"
  shift
  "$@"
}

step 'Generated types are up to date' scripts/generate-types.sh --check
step 'Format and lint' npm run --silent lint
step 'Spelling' npm run --silent lint:spelling
step 'Markdown' npm run --silent lint:markdown
step 'API documents' npm run --silent lint:documents
step 'Types' npm run --silent types
step 'Dead code' npm run --silent knip
step 'Build' npm run --silent build
step 'Package metadata' npm run --silent publint
step 'Tests' npm test --silent
step 'Tests, with all runs of the random ones' npm run --silent test:full
step 'Console in a browser' npm run --silent test:browser
step 'Disturbances, in short' npx vitest run --config config/vitest.chaos.config.ts --mode short
step 'Replicas on PostgreSQL' npm run --silent test:cluster
step 'Stories against three replicas, half of them' npm run --silent test:replicas -- test/replicas test/flows/callbacks test/flows/control test/flows/projects
step 'Disturbances of replicas, in short' npx vitest run --config config/vitest.chaos-cluster.config.ts --mode short

# Two things at a time from here, the first of them in the background. The trap stops it on every exit, also after Ctrl-C.
log=$(mktemp)
trap '{ kill "$meanwhile" && wait "$meanwhile"; } 2>/dev/null || true; rm -f "$log"' EXIT

in_background() {
  "$@" >"$log" 2>&1 &
  meanwhile=$!
}

background_ends() {
  local status=0
  wait "$meanwhile" || status=$?
  cat "$log"
  return "$status"
}

npx rolldown -c config/rolldown.bench.config.ts >/dev/null
in_background node dist/bench/fuzz.mjs --seconds 30
step 'Replicas in a simulation, a minute of it' npm run --silent simulate -- --minutes 1
step 'Fuzz, half a minute of it, meanwhile' background_ends

# The soak is mostly idle, and measures times, so the others have lower priority.
in_background node dist/bench/soak.mjs 2
step 'Packed package, generated clients' nice npm run --silent test:package
step 'Image, where it can be built' nice npm run --silent test:image
step 'Soak, two minutes of it, meanwhile' background_ends
