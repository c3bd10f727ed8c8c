#!/bin/sh
# Runs the server on the Node 24 that npm installed beside it. It replaces this shell, so that
# signals and exit codes are the server's own.
set -eu

here=$0
while [ -L "$here" ]; do
  link=$(readlink "$here")
  case $link in
    /*) here=$link ;;
    *) here=$(dirname "$here")/$link ;;
  esac
done
package=$(cd "$(dirname "$here")/.." && pwd -P)

# npm puts a package inside of the one that needs it, or beside it, or further up.
node=
folder=$package
while [ -z "$node" ]; do
  for platform in linux-x64 linux-arm64; do
    binary=$folder/node_modules/@memory-sidecar/node-$platform/bin/node
    if [ -x "$binary" ] && "$binary" --version > /dev/null 2>&1; then node=$binary; fi
  done
  [ "$folder" != / ] || break
  folder=$(dirname "$folder")
done

if [ -z "$node" ]; then
  node=$(command -v node || true)
  case $([ -z "$node" ] || "$node" --version) in
    v2[4-9].* | v[3-9][0-9].*) ;;
    *)
      echo "memory-sidecar: needs Node 24 or later in the path on this system" >&2
      exit 70
      ;;
  esac
fi

# Node reads both before it starts: threads for the commits of the store, and the size of the young
# generation, which halves the slowest answers under load.
export UV_THREADPOOL_SIZE="${UV_THREADPOOL_SIZE:-16}"
export MALLOC_ARENA_MAX="${MALLOC_ARENA_MAX:-1}"
exec "$node" --max-semi-space-size=16 "$package/dist/main.js" "$@"
