#!/usr/bin/env bash
# sysroot.sh FOLDER ARCHITECTURE PACKAGE...: Debian's packages for another
# architecture, with all they need, unpacked into FOLDER. Nothing of the system
# changes and nobody has to be root: apt resolves and fetches with a state of its
# own, in which nothing is installed.
set -euo pipefail
folder=$1 architecture=$2
shift 2

# What is there already, and what it was asked for.
wanted="$architecture $*"
[ "$(cat "$folder/.packages" 2>/dev/null)" = "$wanted" ] && exit

state=$folder.apt
rm -rf "$folder" "$state"
mkdir -p "$folder" "$state/lists/partial" "$state/archives/partial"
: >"$state/status"
apt=(apt-get -qq -o "APT::Architecture=$architecture" -o "APT::Architectures=$architecture"
  -o "Dir::State=$state" -o "Dir::State::Lists=$state/lists" -o "Dir::State::status=$state/status"
  -o "Dir::Cache=$state" -o "Dir::Cache::archives=$state/archives"
  -o Debug::NoLocking=true -o APT::Sandbox::User=)
# A mirror that is being updated lacks one of its lists; the others may do.
"${apt[@]}" update || true
"${apt[@]}" install --yes --download-only --no-install-recommends "$@" >/dev/null
for archive in "$state"/archives/*.deb; do
  dpkg-deb --extract "$archive" "$folder"
done

# One /lib, as Debian's systems have it: qemu-user looks through the link.
cp -a "$folder/lib/." "$folder/usr/lib/"
rm -r "$folder/lib"
ln -s usr/lib "$folder/lib"

# Links to absolute paths would lead out of it.
find "$folder" -type l -lname '/*' -print0 | while IFS= read -r -d '' link; do
  ln -snf "$(realpath -m --relative-to="$(dirname "$link")" "$folder$(readlink "$link")")" "$link"
done
rm -rf "$state"
printf '%s' "$wanted" >"$folder/.packages"
