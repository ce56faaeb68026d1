#!/usr/bin/env bash
# Runs a command as root in mounts and processes of its own, with a folder of its own as TMPDIR: there an image can be built
# and started without an engine, and however the command ends, no mount, process or file of it stays.
# Where that can't be done it says SKIPPED, and why, and ends well.
set -euo pipefail

skip() {
  printf '\nSKIPPED: the image was NOT built and NOT tested: %s\n' "$1" >&2
  exit 0
}

[ "$(uname -s)" = Linux ] || skip 'this is no Linux'
[ "$(id -u)" = 0 ] || skip 'it takes root'
for tool in buildah crun mmdebstrap unshare nsenter; do
  command -v "$tool" >/dev/null || skip "there is no $tool (Debian: apt-get install buildah crun mmdebstrap)"
done
apart=(unshare --mount --propagation private --pid --fork --kill-child --mount-proc)
"${apart[@]}" true 2>/dev/null || skip 'this machine does not let root make namespaces'
timeout 30 npm ping >/dev/null 2>&1 || skip 'no package registry can be reached'

folder=$(mktemp -d -t field-sandbox-image-XXXXXX)
chmod 755 "$folder" # Its containers run as others.
ending() {
  [ -z "${running:-}" ] || { kill -KILL "$running" 2>/dev/null && wait "$running" 2>/dev/null; } || true
  rm -rf "$folder"
}
trap ending EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# crun takes no mixture of both kinds of control groups, which some machines have; here it needs none at all.
# shellcheck disable=SC2016
TMPDIR=$folder "${apart[@]}" bash -c 'mount -t cgroup2 none /sys/fs/cgroup 2>/dev/null; exec "$@"' apart "$@" &
running=$!
status=0
wait "$running" || status=$?
running=
exit "$status"
