#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# deb.sh BUILD SOURCE: the Debian packages, made of what is built, and tried in a Debian
# that has the essential packages and what these depend on, no more. It is put together
# from this machine's own packages (debian_root.py), so it needs no network, a few
# seconds, and either root or a kernel that lets a user be root in a namespace of its
# own. What it cannot show: that a mirror has the packages, and what systemd does with
# the service (image.sh judges the unit). Prints TAP.
set -u
build=$1 source=$2 inside=${3:-}

# The mounts of this test go with a process of its own, before its folder is removed.
if [ -z "$inside" ]; then
    user=
    [ "$(id -u)" = 0 ] || user=--map-root-user
    if ! command -v dpkg-deb >/dev/null || ! command -v dpkg-shlibdeps >/dev/null; then
        echo "1..0 # SKIP no Debian: dpkg-deb or dpkg-shlibdeps is missing"
        exit 0
    elif ! unshare $user --mount true 2>/dev/null; then
        echo "1..0 # SKIP neither root nor a namespace in which a user is root"
        exit 0
    fi
    folder=$(mktemp -d)
    unshare $user --mount "$0" "$build" "$source" "$folder"
    status=$?
    rm -rf --one-file-system "$folder"
    exit "$status"
fi
TMPDIR=$inside
export TMPDIR
# shellcheck source=tests/install/tap.sh
. "$source/tests/install/tap.sh"
root=$inside/root

packages() {
    "$source/scripts/deb" "$build" "$folder/debs" &&
        [ "$(ls "$folder/debs")" = "$(printf '%s\n' libmica-dev_*.deb libmica0_*.deb \
            mica_*.deb | sed "s/\*/${version}_$arch/")" ]
}

again() {
    "$source/scripts/deb" "$build" "$folder/again" &&
        diff -r "$folder/debs" "$folder/again"
}

# What a user of those packages could complain of.
policy() {
    lintian --fail-on error,warning "$folder"/debs/*.deb
}

# add PACKAGE FIELD [MORE]: what a field of a package names, and all that this depends
# on; but for mica's own.
add() {
    python3 "$source/tests/install/debian_root.py" "$root" "${3:-}$(dpkg-deb --field \
        "$folder/debs/$1_${version}_$arch.deb" "$2" | sed 's/libmica0 ([^)]*), //')"
}

# install PACKAGE: refused when something is missing that it depends on.
install() {
    inside dpkg --force-unsafe-io --install "/packages/$1_${version}_$arch.deb" \
        </dev/null
}

# Nothing of mica is in it: what is tried below comes from the packages.
clean_root() {
    add mica Depends || return 1
    mount --rbind /proc "$root/proc" && touch "$root/dev/null" &&
        mount --bind /dev/null "$root/dev/null" && mkdir "$root/packages" &&
        cp "$folder"/debs/*.deb "$root/packages" || return 1
    [ -z "$(files | grep '^[^:]*mica')" ] && ! inside sh -c 'command -v cc clang-14'
}

inside() {
    chroot "$root" /usr/bin/env -i HOME=/srv PATH=/usr/sbin:/usr/bin:/sbin:/bin \
        NO_COLOR=1 "$@"
}

# Every file, but for what dpkg notes of itself and what was done in its home.
files() {
    (cd "$root" && find . -xdev \( -path ./proc -o -path ./packages -o -path ./srv \
        -o -path ./var/lib/dpkg -o -path ./var/log/dpkg.log \
        -o -path ./var/cache/ldconfig \) -prune -o -printf '%P %m %s\n' | LC_ALL=C sort)
}

installs() {
    files >"$folder/before"
    # As apt does in the end.
    install mica && inside dpkg --configure --pending &&
        inside dpkg --audit >"$folder/audit" && cat "$folder/audit" &&
        [ ! -s "$folder/audit" ]
}

# The engines inside it answer, and nobody is needed to build anything.
answers() {
    inside mica call percentage-calculator mode=of a=15 b=200 --json |
        grep -F '"result":30' && inside mica version | grep -F "$version"
}

says_what_is_missing() {
    inside mica doctor --json >"$folder/doctor" && cat "$folder/doctor" &&
        grep -F 'Install the package clang-14' "$folder/doctor" &&
        ! grep -F '"level":"fail"' "$folder/doctor" &&
        inside sh -c 'cd /srv && mica new floor-area' || return 1
    inside sh -c 'cd /srv && mica call floor-area length=3 width=2' && return 1
    return 0
}

loads_authorization() {
    echo '{}' >"$root/srv/auth.json"
    inside mica serve --listen 127.0.0.1:0 --auth /srv/auth.json && return 1
    inside mica serve --listen 127.0.0.1:0 --auth /srv/auth.json 2>&1 |
        grep -E 'auth.json|issuer'
}

# Everything that mica says it needs to build, comes with it by default.
recommended() {
    add mica Recommends && inside mica doctor --json >"$folder/doctor" &&
        cat "$folder/doctor" && ! grep -E '"level":"(warn|fail)"' "$folder/doctor"
}

builds_engines() {
    inside sh -ec 'cd /srv
        mica check floor-area
        mica call floor-area length=3 width=2 --json | grep -F "\"area\":6"
        test -s build/engines/floor-area.twin.js
        mica pack --name tools
        test -s build/tools.mcpb'
}

builds_tools() {
    inside sh -ec 'cd /srv
        mica new --interactive greet
        mica check greet
        mica test greet'
}

libraries() {
    install libmica0 && inside sh -c 'ldconfig -p | grep -F libmica.so.0'
}

development() {
    add libmica-dev Depends 'pkg-config, ' && install libmica-dev &&
        cp "$source/examples/embed.c" "$root/srv" || return 1
    inside sh -ec 'cd /srv
        shared=$(pkg-config --cflags --libs mica)
        others=$(pkg-config --libs libmicrohttpd libsodium nettle sqlite3)
        gcc embed.c -o shared $shared
        gcc embed.c -o static -l:libmica.a $others -lm -pthread
        [ -z "$(ldd static | grep libmica.so)" ]
        for program in shared static; do
            echo "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}" | ./$program |
                grep -F "\"id\":1"
        done'
}

# As it would be where systemd runs, and somebody has enabled the service: what the
# package asks of it when a new version comes, and when it goes.
service() {
    mkdir -p "$root/run/systemd/system"
    printf '#!/bin/sh\necho "$*" >>/srv/systemctl\n' >"$root/usr/bin/systemctl"
    chmod +x "$root/usr/bin/systemctl"
    mkdir -p "$root/etc/systemd/system/multi-user.target.wants"
    ln -s /lib/systemd/system/mica.service \
        "$root/etc/systemd/system/multi-user.target.wants"
    install mica && inside dpkg --remove mica || return 1
    cat "$root/srv/systemctl"
    rm -r "$root/run/systemd" "$root/usr/bin/systemctl"
    printf '%s\n' '--system daemon-reload' 'try-restart mica.service' \
        'stop mica.service' '--system daemon-reload' | diff - "$root/srv/systemctl"
}

goes_without_a_trace() {
    inside dpkg --purge libmica-dev libmica0 mica || return 1
    # What came meanwhile, of others, is no trace of mica's.
    files | LC_ALL=C comm -13 "$folder/before" - | grep mica && return 1
    [ -z "$(inside sh -c "dpkg -l '*mica*' | grep ^ii")" ]
}

version=$(sed -n 's/^Version: //p' "$build/meson-private/mica.pc")
arch=$(dpkg --print-architecture)
echo 1..15
check "three packages are made of what is built" packages
check "the same build gives the same packages" again
if command -v lintian >/dev/null; then
    check "the rules of Debian are kept" policy
else
    skip "the rules of Debian are kept" "lintian is not installed"
fi
check "a Debian is put together that has nothing of mica" clean_root
check "the package installs with what it depends on" installs
check "the engines inside it answer" answers
check "it says what is missing to build engines" says_what_is_missing
check "it can check tokens" loads_authorization
check "with what it recommends, nothing is missing" recommended
check "and engines are built, checked and packed" builds_engines
check "and so are interactive tools, with their tests" builds_tools
check "the shared libraries are found" libraries
check "programs are built with both forms of the library" development
check "the service is stopped when the package goes" service
check "and nothing of it is left" goes_without_a_trace
