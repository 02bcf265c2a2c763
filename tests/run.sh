#!/bin/bash
# run.sh - all tests. Installs what is missing, then:
#   - layout of the code (clang-format)
#   - gcc, optimised, warnings are errors: the whole suite, and conformance where the reference
#     traces are there
#   - clang with AddressSanitizer, UndefinedBehaviorSanitizer and asserts, warnings are errors: the
#     whole suite again, and each fuzz target for 20 seconds ($TPQ_FUZZ_SECONDS), as many at a time
#     as there are cores
# and at the end the ten slowest tests of each suite.
#
# Scenes that play every failing allocation find more with sanitizers, and play them once, there;
# deaths of the program are about the file that it leaves, and are played without. Reference figures
# are held without, too; with sanitizers every reference trace is taken in and reported once. What
# only the sources tell is asked once. A test that takes ten minutes has failed.
#
# usage: tests/run.sh [--quick]     --quick: only the first suite, with all of its scenes
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

play() { # FOLDER OPTION...
    ctest --test-dir "$1" --output-on-failure --no-tests=error --timeout 600 \
        -j "$jobs" "${@:2}"
}

slowest() { # FOLDER
    step "slowest tests of $1, s"
    sed '/^---/,$d' "$1/Testing/Temporary/CTestCostData.txt" | sort -k3,3nr |
        awk 'NR <= 10 { printf "%8.1f  %s\n", $3, $1 }'
}

fuzz() { # TARGET
    name=$(basename "$1")
    mkdir -p "build-clang/corpus/$name"
    "$1" -max_total_time="$fuzz_seconds" -rss_limit_mb=2048 -timeout=20 \
        -artifact_prefix=build-clang/ -verbosity=0 -print_final_stats=1 \
        "build-clang/corpus/$name" tests/fuzz/corpus 2>"build-clang/$name.log" || {
        tail -n 40 "build-clang/$name.log" >&2
        return 1
    }
    echo "$name: $(grep number_of_executed_units "build-clang/$name.log")"
}
export -f fuzz
export fuzz_seconds

step "layout"
git ls-files '*.c' '*.h' | xargs clang-format-14 --dry-run --Werror

step "suite"
suite build
if [ "${1:-}" = --quick ]; then
    play build
    slowest build
    exit 0
fi
play build --label-exclude 'test_memory|samples'

step "suite with sanitizers"
# Where memory came from is a third of their time; whoever looks into a finding asks for it again.
export ASAN_OPTIONS=malloc_context_size=0
CC=clang LDFLAGS=-fuse-ld=lld suite build-clang -DTPQ_SANITIZE=ON -DTPQ_FUZZ=ON
play build-clang --label-exclude 'test_death|figures|sources'

step "fuzzing, $fuzz_seconds s a target"
find build-clang/tests -maxdepth 1 -name 'fuzz_*' -perm -u+x -type f -print0 | sort -z |
    xargs -0 -n 1 -P "$jobs" bash -c 'set -eu; fuzz "$1"' fuzz

slowest build
slowest build-clang
