#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# image.sh BUILD SOURCE PREFIX: what the container image is made of, tried without
# containers: the files of packaging/rootfs as the root of a process without rights.
# And the service, as far as it can be judged without starting it. Prints TAP.
set -u
build=$1 source=$2 prefix=$3
# shellcheck source=tests/install/tap.sh
. "$source/tests/install/tap.sh"
server=
trap '[ -z "$server" ] || kill "$server"; rm -rf "$folder"' EXIT

fill() {
    meson install -C "$build" --no-rebuild --quiet --destdir "$folder/all" &&
        "$source/packaging/rootfs" "$folder/image" "$folder/all" "$build"
}

# Nothing that could be started but mica and the loader.
alone() {
    [ "$(find "$folder/image" -type f -perm /111 ! -name '*.so*' | wc -l)" = 1 ] &&
        [ ! -e "$folder/image/bin/sh" ] && [ ! -e "$folder/image/usr/bin/env" ]
}

# As a user without rights; nothing is writable but its state. A container has a
# /proc, as this root has in a mount namespace that ends with the command. Takes the
# place of the shell, so that its caller can stop mica.
become_inside() {
    mkdir -p "$folder/image/proc"
    # shellcheck disable=SC2016 # the inner shell expands them
    exec unshare --mount sh -c 'mount -t proc proc "$1/proc" && root=$1 && shift &&
        exec chroot --userspec=65532:65532 "$root" "$@"' \
        sh "$folder/image" "$prefix/bin/mica" "$@"
}

inside() {
    (become_inside "$@")
}

calls() {
    XDG_STATE_HOME=/var/lib inside call hash data=x --json | grep -F '"hex"'
}

serves() {
    env XDG_STATE_HOME=/var/lib chroot --userspec=65532:65532 "$folder/image" \
        "$prefix/bin/mica" serve --listen 127.0.0.1:0 --built-in \
        >"$folder/address" 2>"$folder/log" &
    server=$!
    for _ in $(seq 600); do
        [ -s "$folder/address" ] && break
        sleep 0.1
    done
    cat "$folder/log"
    # A client of a session: its state is written.
    curl -sS --max-time 20 -H 'Accept: application/json, text/event-stream' \
        -H 'Content-Type: application/json' -d '{"jsonrpc":"2.0","id":1,
        "method":"initialize","params":{"protocolVersion":"2025-06-18",
        "capabilities":{},"clientInfo":{"name":"x","version":"1"}}}' \
        "$(cat "$folder/address")" | grep -F '"serverInfo"' &&
        [ -s "$folder/image/var/lib/mica/mica.db" ] && kill -TERM "$server" &&
        wait "$server" && server=
}

# Files of a user who is not the one inside could be changed by that user.
serves_what_belongs_to_root() {
    inside call hash data=x --json --engines /srv/engines | grep -F '"hex"' || return 1
    chown -R 1000:1000 "$folder/image/srv/engines"
    inside call hash data=x --json --engines /srv/engines 2>"$folder/refusal" && return 1
    cat "$folder/refusal"
    grep -F UNTRUSTED_FILE "$folder/refusal"
}

# What the image serves by itself: an interactive tool begins a call and asks. The image
# asks the server how it is, as its HEALTHCHECK does; what does not serve is not well.
asks_and_is_healthy() {
    rm -f "$folder/address" # that of the server before
    XDG_STATE_HOME=/var/lib become_inside serve --listen 127.0.0.1:0 \
        --engines /srv/engines --tools /srv/tools >"$folder/address" 2>"$folder/log" &
    server=$!
    for _ in $(seq 600); do
        [ -s "$folder/address" ] && break
        sleep 0.1
    done
    cat "$folder/log"
    at=$(sed 's,^http://,,; s,/mcp$,,' "$folder/address")
    curl -sS --max-time 20 -H 'Content-Type: application/json' -d '{"subject":"tea"}' \
        "http://$at/api/survey" | tee "$folder/reply" | grep -F '"questions"' || {
        cat "$folder/reply" && echo
        return 1
    }
    inside health --listen "$at" | grep -F '"status":"ok"' && kill -INT "$server" &&
        wait "$server" && server= && ! inside health --listen "$at"
}

# The module of authorization finds its libraries here, too.
authorizes() {
    echo '{}' >"$folder/image/auth.json"
    inside serve --listen 127.0.0.1:0 --auth /auth.json >"$folder/out" 2>&1
    cat "$folder/out"
    grep -E 'auth.json|issuer' "$folder/out" && ! grep -i 'shared object' "$folder/out"
}

service() {
    sed "s:/usr/bin/mica:$folder/all$prefix/bin/mica:" \
        "$source/packaging/mica.service" >"$folder/mica.service" &&
        systemd-analyze verify --man=no "$folder/mica.service"
}

exposure() {
    systemd-analyze security --offline=yes --threshold=20 \
        "$source/packaging/mica.service"
}

echo 1..9
if [ "$(id -u)" = 0 ]; then
    check "an installation fills the image" fill
    check "there is nothing else to start" alone
    check "it runs as a user without rights" calls
    check "it serves, and keeps sessions" serves
    check "it serves interactive tools, and says how it is" asks_and_is_healthy
    check "it serves built engines that belong to root" serves_what_belongs_to_root
    check "it can check tokens" authorizes
else
    for name in "an installation fills the image" "there is nothing else to start" \
        "it runs as a user without rights" "it serves, and keeps sessions" \
        "it serves interactive tools, and says how it is" \
        "it serves built engines that belong to root" "it can check tokens"; do
        skip "$name" "only root may change its root"
    done
    meson install -C "$build" --no-rebuild --quiet --destdir "$folder/all"
fi
if command -v systemd-analyze >/dev/null; then
    check "the service is understood by systemd" service
    check "the service is confined" exposure
else
    skip "the service is understood by systemd" "no systemd here"
    skip "the service is confined" "no systemd here"
fi
