#!/bin/bash
# run.sh - all tests. Installs what is missing, then:
#   - layout of the code (clang-format)
#   - gcc, optimised, warnings are errors: the whole suite, and conformance where the reference
#     traces are there
#   - gcc with AddressSanitizer and UndefinedBehaviorSanitizer: the whole suite again
#   - clang, warnings are errors; each fuzz target for 20 seconds ($TPQ_FUZZ_SECONDS)
#
# usage: tests/run.sh [--quick]     --quick: only the first suite
set -eu -o pipefail
cd "$(dirname "$0")/.."
. src/packages.sh
packages_need $packages_build $packages_test
jobs=$(nproc)
fuzz_seconds=${TPQ_FUZZ_SECONDS:-20}

step() {
    printf '\n== %s\n' "$*"
}

suite() { # FOLDER OPTION...
    folder=$1
    shift
    cmake -S . -B "$folder" -DTPQ_WERROR=ON -DTPQ_TESTS=ON "$@" >/dev/null
    cmake --build "$folder" -j "$jobs" >"$folder/build.log" 2>&1 || {
        grep -E 'error|warning' "$folder/build.log" >&2
        return 1
    }
}

step "layout"
git ls-files '*.c' '*.h' | xargs clang-format-14 --dry-run --Werror

step "suite"
suite build
ctest --test-dir build --output-on-failure -j "$jobs"
[ "${1:-}" = --quick ] && exit 0

step "suite with sanitizers"
suite build-sanitize -DTPQ_SANITIZE=ON -DCMAKE_BUILD_TYPE=RelWithDebInfo
ctest --test-dir build-sanitize --output-on-failure -j "$jobs"

step "fuzzing, $fuzz_seconds s a target"
CC=clang suite build-fuzz -DTPQ_FUZZ=ON -DTPQ_SANITIZE=ON -DTPQ_TESTS=OFF \
    -DCMAKE_BUILD_TYPE=RelWithDebInfo
for target in build-fuzz/tests/fuzz_*; do
    [ -x "$target" ] || continue
    name=$(basename "$target")
    mkdir -p "build-fuzz/corpus/$name"
    echo "$name"
    "$target" -max_total_time="$fuzz_seconds" -rss_limit_mb=2048 -timeout=20 \
        -artifact_prefix=build-fuzz/ -verbosity=0 -print_final_stats=1 \
        "build-fuzz/corpus/$name" tests/fuzz/corpus 2>"build-fuzz/$name.log" || {
        tail -n 40 "build-fuzz/$name.log" >&2
        exit 1
    }
    grep -E 'number_of_executed_units' "build-fuzz/$name.log"
done
