#!/usr/bin/env bash
# Installs the Debian packages that some suites need, where root may. What cannot be had is named: its tests are skipped.
set -euo pipefail
[ "$(id -u)" = 0 ] || exit 0
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT

listed=''
install() {
  local without=$1
  shift
  { [ -n "$listed" ] || apt-get update -qq; } >"$log" 2>&1 && listed=yes &&
    apt-get install -y -qq --no-install-recommends "$@" >>"$log" 2>&1 ||
    { tail -5 "$log"; echo "$without"; } >&2
}

command -v chromium >/dev/null ||
  install 'NO CHROMIUM could be installed: the browser tests are SKIPPED.' chromium

# The image is built and started by these, without an engine.
{ command -v buildah && command -v crun && command -v mmdebstrap; } >/dev/null ||
  install 'NO BUILDAH could be installed: the tests of the image are SKIPPED.' \
    buildah crun mmdebstrap debian-archive-keyring

# The tests of replicas start servers of their own, so Debian's package need not create and start one.
if ! { compgen -G '/usr/lib/postgresql/*/bin/initdb' || command -v initdb; } >/dev/null || [ ! -x /usr/sbin/haproxy ]; then
  mkdir -p /etc/postgresql-common/createcluster.d
  echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.d/tests.conf
  install 'NO POSTGRESQL or HAPROXY could be installed: the tests that need them are SKIPPED.' postgresql haproxy
fi
