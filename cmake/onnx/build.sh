#!/usr/bin/env bash
# build.sh CACHE LINK: lets LINK point to the ONNX library in the folder CACHE, which
# is built when it is not there yet. What it does stands on standard error, what the
# tools say in CACHE/onnx.log.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$1"
cache=$(cd "$1" && pwd)
link=$2
compiler=clang++-22

# Schemas are registered by the compiler when it first asks for one: at the start of
# every program they would cost more than a small network takes to compile.
options=(
  -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_STANDARD=17 -DCMAKE_CXX_COMPILER=$compiler
  -DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DCMAKE_POSITION_INDEPENDENT_CODE=ON
  -DCMAKE_CXX_FLAGS="-include $here/checked.h"
  -DONNX_USE_PROTOBUF_SHARED_LIBS=ON -DONNX_DISABLE_STATIC_REGISTRATION=ON
)
protobuf=$(dpkg-query -W -f='${Version}' libprotobuf-dev)
key=$(cat "$here/build.sh" "$here/source.txt" "$here/tools.txt" "$here/checked.h" - <<<"$protobuf" | sha256sum | cut -c1-16)
prefix=$cache/onnx-$key

build() {
  local work=$prefix.building
  rm -rf "$work"
  mkdir -p "$work/source"
  python3 -m venv "$work/tools"
  "$work/tools/bin/pip" install -q --disable-pip-version-check -r "$here/tools.txt"
  "$work/tools/bin/pip" download -q --disable-pip-version-check --no-deps --no-binary onnx \
    --require-hashes -r "$here/source.txt" -d "$work"
  tar -xzf "$work"/onnx-*.tar.gz -C "$work/source" --strip-components=1
  "$work/tools/bin/cmake" -G Ninja -S "$work/source" -B "$work/build" \
    -DCMAKE_INSTALL_PREFIX="$work/prefix" "${options[@]}"
  "$work/tools/bin/cmake" --build "$work/build" -j "${TENON_JOBS:-$(nproc)}"
  "$work/tools/bin/cmake" --install "$work/build"
  # The exported targets find their files relative to themselves.
  mv "$work/prefix" "$prefix"
  rm -rf "$work"
}

# Checkouts that share the cache wait for the one that builds.
exec 9>"$cache/onnx.lock"
flock 9
if [ ! -d "$prefix" ]; then
  printf '== building the ONNX library (about three minutes of one core)\n' >&2
  if ! build >"$cache/onnx.log" 2>&1; then
    tail -n 20 "$cache/onnx.log" >&2
    printf 'dev: the ONNX library was not built; all of it: %s\n' "$cache/onnx.log" >&2
    exit 4
  fi
fi
ln -sfn "$prefix" "$link"
