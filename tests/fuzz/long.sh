#!/bin/bash
# long.sh - fuzz targets for hours, for a maintainer: each for HOURS, as many at a time as there are
# cores, going on from what the last time learnt. Then what was learnt is reduced to the fewest
# inputs that reach as much. It ends with a list: executions, a second, inputs, findings.
#
# usage: tests/fuzz/long.sh [--keep] HOURS [TARGET...]     (HOURS: 2, 0.5, ...; default: all targets)
#        --keep: the smallest of what was learnt become the corpus in tests/fuzz/corpus, 40 a target
set -eu -o pipefail
cd "$(dirname "$0")/../.."
. src/packages.sh
packages_need $packages_build $packages_test $packages_all
keep=
[ "${1:-}" != --keep ] || { keep=1; shift; }
seconds=$(awk -v hours="${1:?hours}" 'BEGIN { printf "%d", hours * 3600 + 0.5 }')
shift
export build=build-fuzz seconds keep kept_most=40

CC=clang LDFLAGS=-fuse-ld=lld cmake -S . -B "$build" -DTPQ_SANITIZE=ON -DTPQ_FUZZ=ON \
    -DTPQ_TESTS=OFF >/dev/null
cmake --build "$build" -j "$(nproc)" >"$build/build.log" 2>&1 || {
    grep -E 'error|warning' "$build/build.log" >&2
    exit 1
}
[ $# -gt 0 ] || set -- $(tests/fuzz/fuzz.sh "$build")

# The inputs of a folder that another one needs to reach as much, the smallest first.
reduce() { # TARGET
    learnt=$build/corpus/$1 least=$build/corpus/$1.least name=${1%_small}
    rm -rf "$least" && mkdir -p "$least"
    FUZZ_TARGET=$name "$build/tests/fuzz${1#"$name"}" -merge=1 -timeout=20 "$least" "$learnt" \
        "tests/fuzz/corpus/$name" >>"$build/$1.log" 2>&1
    rm -rf "$learnt" && mv "$least" "$learnt"
    [ -z "$keep" ] || find "$learnt" -type f -size -8k -printf '%s %f\n' | sort -n |
        head -n "$kept_most" | while read -r _ file; do
        cp "$learnt/$file" "tests/fuzz/corpus/$name/"
    done
}

one() { # TARGET
    found=nothing
    tests/fuzz/fuzz.sh "$build" "$1" "$seconds" >"$build/$1.log" 2>&1 ||
        found=$(grep -o 'Test unit written to .*' "$build/$1.log" || echo "see $build/$1.log")
    runs=$(sed -n 's/.*number_of_executed_units: *//p' "$build/$1.log")
    reduce "$1"
    printf '%-18s %12s %8s/s %6s inputs  %s\n' "$1" "$runs" $((${runs:-0} / (seconds + 1))) \
        "$(find "$build/corpus/$1" -type f | wc -l)" "$found"
}
export -f one reduce
printf '%s\n' "$@" | xargs -n 1 -P "$(nproc)" bash -c 'set -eu -o pipefail; one "$1"' one
