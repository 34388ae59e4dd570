#!/usr/bin/env bash
# install.sh CACHE LINK: lets LINK point to the JavaScript libraries in the folder
# CACHE, which npm puts there when they are not there yet, as package-lock.json says.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$1"
cache=$(cd "$1" && pwd)
key=$(sha256sum <"$here/package-lock.json" | cut -c1-16)
prefix=$cache/web-$key

# Checkouts that share the cache wait for the one that installs.
exec 9>"$cache/web.lock"
flock 9
if [ ! -d "$prefix" ]; then
  printf '== installing the JavaScript libraries of the pages\n' >&2
  rm -rf "$prefix.installing"
  mkdir "$prefix.installing"
  cp "$here/package.json" "$here/package-lock.json" "$prefix.installing"
  if ! npm ci --prefix "$prefix.installing" --ignore-scripts --no-audit --no-fund >"$cache/web.log" 2>&1; then
    tail -n 20 "$cache/web.log" >&2
    printf 'dev: npm did not install them; all it said: %s\n' "$cache/web.log" >&2
    exit 4
  fi
  mv "$prefix.installing" "$prefix"
fi
ln -sfn "$prefix/node_modules" "$2"
