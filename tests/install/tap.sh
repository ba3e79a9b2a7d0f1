# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
#
# What the tests of this folder share: a folder that goes with them, and their cases.
# Prints TAP.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
count=0

# check NAME COMMAND…: one case; what the command says is shown if it fails.
check() {
    name=$1
    shift
    count=$((count + 1))
    if "$@" >"$folder/said" 2>&1; then
        echo "ok $count - $name"
    else
        echo "not ok $count - $name"
        sed 's/^/# /' "$folder/said"
    fi
}

# skip NAME REASON: one that cannot be run here.
skip() {
    count=$((count + 1))
    echo "ok $count - $1 # SKIP $2"
}
