#!/bin/bash
# run.sh - all tests. Installs what is missing, then:
#   - layout of the code (clang-format)
#   - gcc, optimised, warnings are errors: the suite, and conformance where the reference traces are
#     there
#   - clang with AddressSanitizer, UndefinedBehaviorSanitizer and asserts, warnings are errors: the
#     suite, and the same runs of each fuzz target each time, as many targets at a time as there are
#     cores; with $TPQ_FUZZ_SECONDS for so long, and other ones each time
# and at the end the ten slowest tests of each suite.
#
# Both play what looks into the code (unit tests, SQL) and what holds figures of its own. What finds
# as much or more with sanitizers is played once, there: tests of the command line that look at the
# program's words (tests/cli/CMakeLists.txt has the rule), and scenes that play every failing
# allocation. Deaths of the program are about the file that it leaves, and are played without.
# Reference figures are held without, too; with sanitizers every reference trace is taken in and
# reported once. What only the sources tell, and what other people's tools make of ours, is asked
# once. A test that takes ten minutes has failed.
#
# usage: tests/run.sh [--quick]     --quick: only the first suite, with all of its tests
set -eu -o pipefail
cd "$(dirname "$0")/.."
. src/packages.sh
packages_need $packages_build $packages_test
jobs=$(nproc)
fuzz_seconds=${TPQ_FUZZ_SECONDS:-fixed}

step() {
    printf '\n== %s\n' "$*"
}

# For so many targets make takes a tenth of the time itself. A folder stays with what it began with.
export CMAKE_GENERATOR=Ninja

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
    tests/fuzz/fuzz.sh build-clang "$1" "$fuzz_seconds" -verbosity=0 2>"build-clang/$1.log" || {
        tail -n 40 "build-clang/$1.log" >&2
        return 1
    }
    echo "$1: $(grep -E 'executed_units|per_sec' "build-clang/$1.log" | tr -s ' \n' ' ')"
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
TPQ_ONLY_PLAIN=1 play build --label-exclude 'test_memory|samples|program'

step "suite with sanitizers"
# Where memory came from is a third of their time; whoever looks into a finding asks for it again.
# Of memory that was given back the last 8 MB are watched, not 256: so little is in the cache.
export ASAN_OPTIONS=malloc_context_size=0:quarantine_size_mb=8:thread_local_quarantine_size_kb=64
kind=ON # or without what the same runs each time do not listen to, which costs time
[ "$fuzz_seconds" != fixed ] || kind=FIXED
CC=clang LDFLAGS=-fuse-ld=lld suite build-clang -DTPQ_SANITIZE=ON -DTPQ_FUZZ=$kind
play build-clang --label-exclude 'test_death|figures|sources|tools'

step "fuzzing, seconds a target: $fuzz_seconds"
tests/fuzz/fuzz.sh build-clang |
    xargs -n 1 -P "$jobs" bash -c 'set -eu; fuzz "$1"' fuzz

slowest build
slowest build-clang
