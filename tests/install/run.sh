#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# run.sh BUILD SOURCE PREFIX LIBDIR: installs into an empty folder and uses what
# lies there, outside of the repository: libraries through pkg-config, in both
# forms, and the program with its headers. Prints TAP.
set -u
build=$1 source=$2 prefix=$3 libdir=$4
# shellcheck source=tests/install/tap.sh
. "$source/tests/install/tap.sh"
export XDG_STATE_HOME="$folder/state"
root=$folder/root$prefix

flags() {
    PKG_CONFIG_PATH=$root/$libdir/pkgconfig pkg-config \
        --define-variable=prefix="$root" "$@"
}

install() {
    meson install -C "$build" --no-rebuild --quiet --destdir "$folder/root"
}

# `make install` installs what `make build` has built, which are no tests.
is_built() {
    { # the targets themselves, and what they are made of
        ninja -C "$build" -t query use | sed 's/^[ |]*//'
        ninja -C "$build" -t inputs use
    } >"$folder/used"
    installed=$(meson introspect "$build" --installed | tr '"' '\n' |
        grep "^$build/" | grep -v /meson-private/ | sed "s|^$build/||")
    [ -n "$installed" ] || return 1
    for file in $installed; do
        grep -qxF "$file" "$folder/used" || {
            echo "$file is installed and not built"
            return 1
        }
    done
    ! grep -E '^(tests|examples|bench)/' "$folder/used"
}

# Where the libraries of tests are missing, as on the machine of a newcomer.
without_tests() {
    meson setup "$folder/plain" "$source" --prefix /usr -Dtests=disabled &&
        ninja -C "$folder/plain" -n use
}

shared_program() {
    # shellcheck disable=SC2046 # several flags are meant
    cc "$source/examples/embed.c" -o "$folder/embed" \
        $(flags --cflags --libs mica) -Wl,-rpath,"$root/$libdir" && greets
}

static_program() {
    # shellcheck disable=SC2046 # several flags are meant
    cc "$source/examples/embed.c" -o "$folder/embed" $(flags --cflags mica) \
        "$root/$libdir/libmica.a" \
        $(pkg-config --libs libmicrohttpd libsodium nettle sqlite3) -lm -pthread && greets &&
        ! ldd "$folder/embed" | grep -q libmica
}

greets() {
    printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{
        "name":"greet","arguments":{"name":"Ada"},"_meta":{
        "io.modelcontextprotocol/protocolVersion":"2026-07-28",
        "io.modelcontextprotocol/clientCapabilities":{}}}}' | tr -d '\n' |
        "$folder/embed" | grep -F 'Hello, Ada.'
}

core_program() {
    cat >"$folder/core.c" <<'C'
#include <mica/json.h>
int main(void)
{
    char text[MICA_NUMBER_SIZE];
    return mica_number_write(0.1, text) == 3 ? 0 : 1;
}
C
    # shellcheck disable=SC2046 # several flags are meant
    cc "$folder/core.c" -o "$folder/core" $(flags --cflags --libs mica-core) \
        -Wl,-rpath,"$root/$libdir" && "$folder/core"
}

core_is_alone() {
    ! ldd "$root/$libdir/libmica-core.so" |
        grep -vE 'linux-vdso|libc\.so|libm\.so|ld-linux'
}

exports() {
    for library in mica mica-core; do
        nm -D --defined-only "$root/$libdir/lib$library.so" |
            grep -q ' mica_json_read$' || return 1
        ! nm -D --defined-only "$root/$libdir/lib$library.so" |
            grep -v ' mica_' || return 1
    done
}

program() {
    mkdir -p "$folder/elsewhere" && cd "$folder/elsewhere" || return 1
    "$root/bin/mica" new floor-area && "$root/bin/mica" check floor-area &&
        "$root/bin/mica" call floor-area length=3 width=2 --json |
            grep -F '"area":6'
}

# Libraries that cost time are for those who ask for what needs them.
light() {
    for file in "$root/bin/mica" "$root/$libdir/libmica.so"; do
        ! ldd "$file" | grep -E 'libcurl|libcrypto|libssl' || return 1
    done
}

authorization() {
    module=$root/$libdir/mica/mica-auth.so
    ldd "$module" | grep -q libcrypto &&
        [ "$(nm -D --defined-only "$module" | awk '{ print $3 }')" = \
            mica_auth_module_4 ]
}

models() {
    module=$root/$libdir/mica/mica-model.so
    ldd "$module" | grep -q libcurl &&
        [ "$(nm -D --defined-only "$module" | awk '{ print $3 }')" = \
            mica_model_module_2 ]
}

linked_in() {
    mkdir -p "$folder/empty" && cd "$folder/empty" || return 1
    "$root/bin/mica" call percentage-calculator mode=of a=15 b=200 --json |
        grep -F '"result":30'
}

# Manuals and completions, where their readers look.
manuals() {
    for command in "" -call -serve -types; do
        [ -s "$root/share/man/man1/mica$command.1" ] || return 1
    done
    bash -n "$root/share/bash-completion/completions/mica" &&
        [ -s "$root/share/zsh/site-functions/_mica" ] &&
        [ -s "$root/share/fish/vendor_completions.d/mica.fish" ]
}

# The pages, as they are linked to each other, and a skill for coding agents.
documents() {
    folder_of=$root/share/doc/mica
    [ -s "$folder_of/skills/mica-engine/SKILL.md" ] &&
        [ -s "$folder_of/examples/migration/old.mjs" ] &&
        python3 "$source/tests/docs/pages.py" --links "$folder_of"
}

# As in /usr/include, where the C library's headers lie beside mica's.
among_others() {
    echo '#error "the wrong stdint.h"' >"$root/include/stdint.h"
    mkdir -p "$folder/among" && cd "$folder/among" || return 1
    "$root/bin/mica" new floor-area && "$root/bin/mica" check --fast floor-area &&
        "$root/bin/mica" new --interactive greet && "$root/bin/mica" check greet
    status=$?
    rm "$root/include/stdint.h"
    return "$status"
}

echo 1..16
check "meson installs it" install
check "the target use builds what is installed, and no tests" is_built
check "it is built without what tests need" without_tests
check "a program links the shared library" shared_program
check "a program links the static library" static_program
check "a program links libmica-core" core_program
check "libmica-core needs nothing else" core_is_alone
check "the shared libraries export mica's public names alone" exports
check "the installed mica builds and checks an engine anywhere" program
check "the installed mica has its engines without a folder" linked_in
check "the program and the library load nothing of authorization" light
check "the module of authorization shows one symbol" authorization
check "the module of models shows one symbol" models
check "headers of others in the same folder are not an engine's" among_others
check "manuals and completions lie where they are looked for" manuals
check "the pages are installed, and their links lead somewhere" documents
