#!/usr/bin/env bash
# Everything that must hold before a change goes in, one after another; stops at the first failure.
set -euo pipefail
cd "$(dirname "$0")"
export REDOCLY_SUPPRESS_UPDATE_NOTICE=true

step() {
  printf '\n== %s\n' "$1"
  shift
  "$@"
}

step 'Generated types are up to date' ./generate-types.sh --check
step 'Format and lint' npm run --silent lint
step 'API documents' npm run --silent lint:documents
step 'Types' npm run --silent types
step 'Dead code' npm run --silent knip
step 'Build' npm run --silent build
step 'Package metadata' npm run --silent publint
step 'Tests' npm test --silent
step 'Soak, a minute of it' npm run --silent soak -- 1
step 'Disturbances, in short' npx vitest run --config vitest.chaos.config.ts --mode short
step 'Packed package, generated clients' npm run --silent test:package
step 'Image, where it can be built' npm run --silent test:image
