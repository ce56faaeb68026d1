#!/usr/bin/env bash
# Runs every check and stops at the first failure. Suites that mostly wait, or measure nothing, run side by side.
# docs/contributing/testing.md lists the suites; .github/workflows/nightly.yml runs them in full.
set -euo pipefail
cd "$(dirname "$0")/.."
export REDOCLY_SUPPRESS_UPDATE_NOTICE=true

logs=$(mktemp -d)
declare -A running=() started=()
ending() {
  local name
  for name in "${!running[@]}"; do { kill "${running[$name]}" && wait "${running[$name]}"; } 2>/dev/null || true; done
  rm -rf "$logs"
}
trap ending EXIT

step() {
  local name=$1 from=$SECONDS
  shift
  printf '\n== %s\n' "$name"
  "$@"
  printf '== %s: %s s\n' "$name" $((SECONDS - from))
}

# Starts a check beside the others; its output is printed once `ended` waits for it.
beside() {
  local name=$1
  shift
  started[$name]=$SECONDS
  "$@" >"$logs/$name" 2>&1 &
  running[$name]=$!
}

# Waits for all checks that were started, or for those that are named, and fails if one failed.
ended() {
  local name status=0 one
  [ $# -gt 0 ] || set -- "${!running[@]}"
  for name in "$@"; do
    one=0
    wait "${running[$name]}" || one=$?
    unset "running[$name]"
    printf '\n== %s\n' "$name"
    cat "$logs/$name"
    printf '== %s: %s s until its output was read\n' "$name" $((SECONDS - started[$name]))
    [ "$one" -eq 0 ] || status=$one
  done
  return "$status"
}

disturb='npx vitest run --config'

# On a new machine, Debian's packages are installed while the code is read, which needs none of them.
[ "${1:-}" != --new-machine ] || beside 'Packages of the machine' scripts/prepare-machine.sh
step 'Tools' node scripts/tools.mjs
beside 'Generated types are up to date' scripts/generate-types.sh --check
beside 'Spelling' npm run --silent lint:spelling
step 'Format and lint' npm run --silent lint
step 'Types' npm run --silent types
step 'Markdown' npm run --silent lint:markdown
step 'API documents' npm run --silent lint:documents
step 'Dead code' npm run --silent knip
ended
step 'Build' npm run --silent build
step 'Package metadata' npm run --silent publint
npx rolldown -c config/rolldown.bench.config.ts >/dev/null

step 'Tests' npm test --silent

# The pages of the documentation and the browser need the processor; replicas mostly wait.
beside 'Replicas on PostgreSQL' npm run --silent test:cluster
step 'Tests that npm test leaves out' npm run --silent test:more
ended
step 'Console in a browser, its main screens' npm run --silent test:browser -- --mode short
# Alone: replicas that get no processor for seconds lose connections.
step 'Disturbances of replicas, in short' $disturb config/vitest.chaos-cluster.config.ts --mode short

# The simulation and the fuzz test need the processor and measure nothing, so they run at a lower priority.
beside 'Replicas in a simulation' nice npm run --silent simulate -- --minutes 1
step 'Disturbances, in short' $disturb config/vitest.chaos.config.ts --mode short
beside 'Fuzz' nice node dist/bench/fuzz.mjs --seconds 30
step 'Stories against three replicas' npm run --silent test:replicas -- test/replicas test/flows/{callbacks,control,requests}
ended

# The soak measures times, so it is alone.
step 'Soak, three minutes of it' node dist/bench/soak.mjs 3
beside 'Packed package' npm run --silent test:package -- --mode short
step 'Image, where it can be built' npm run --silent test:image
ended
printf '\nAll checks passed in %s s\n' "$SECONDS"
