#!/bin/bash
# run.sh - the tests. Installs what is missing, looks at the layout of the code (clang-format), builds
# with gcc, optimised, with asserts, warnings are errors, and plays what looks into the code (unit, SQL),
# the program as its users meet it, and conformance where the reference traces are there. At the end
# stand the ten slowest tests, and how much passed and failed.
#
# usage: tests/run.sh [--all]
#
# --all plays more:
#   - what needs other people's programs: a browser, PostgreSQL, package managers, valgrind
#   - deaths of the program in the middle of a write
#   - clang with AddressSanitizer, UndefinedBehaviorSanitizer and asserts: unit tests, SQL, failing
#     allocations at many places, each reference trace once, and the tests of the program that make a call
#     of a new kind (tests/cli/support.py). Tests of figures, sources, deaths and other programs run
#     without sanitizers, which find nothing more there.
#   - the same runs of each fuzz target each time, as many targets at a time as there are cores; with
#     $TPQ_FUZZ_SECONDS for so long, and other ones each time
# A test that takes more than 5 % of the whole is a failure then.
#
# How to play one test, one room or one sample: src/architecture.md.
set -eu -o pipefail
case "$*" in
"" | --all) ;;
*)
    echo "usage: tests/run.sh [--all]" >&2
    exit 2
    ;;
esac
cd "$(dirname "$0")/.."
. src/packages.sh
packages_need $packages_build $packages_test ${1:+$packages_all}
jobs=$(nproc)
fuzz_seconds=${TPQ_FUZZ_SECONDS:-fixed}
reports=()
failed=0

step() {
    printf '\n== %s\n' "$*"
}

# For so many targets make takes a tenth of the time itself. A folder stays with what it began with.
export CMAKE_GENERATOR=Ninja

build() { # FOLDER OPTION...
    folder=$1
    shift
    cmake -S . -B "$folder" -DTPQ_WERROR=ON -DTPQ_TESTS=ON "$@" >/dev/null
    cmake --build "$folder" -j "$jobs" >"$folder/build.log" 2>&1 || {
        grep -E 'error|warning' "$folder/build.log" >&2
        return 1
    }
}

play() { # FOLDER NAME OPTION...: what fails is told at the end, after all the rest was played
    report=$1/$2.xml
    rm -f "$report"
    reports+=("$report")
    ctest --test-dir "$1" --output-on-failure --no-tests=error --timeout 600 -j "$jobs" \
        --output-junit "$PWD/$report" --test-output-size-passed 1000000 "${@:3}" || failed=1
}

fuzz() { # TARGET
    begin=$SECONDS status=run
    tests/fuzz/fuzz.sh build-clang "$1" "$fuzz_seconds" -verbosity=0 2>"build-clang/$1.log" || {
        tail -n 40 "build-clang/$1.log" >&2
        status=fail
    }
    echo "<testsuite><testcase name='fuzz $1' time='$((SECONDS - begin))' status='$status'/></testsuite>" \
        >"build-clang/fuzz_$1.xml"
    echo "$1: $(grep -E 'executed_units|per_sec' "build-clang/$1.log" | tr -s ' \n' ' ')"
}
export -f fuzz
export fuzz_seconds

trap 'printf "\n0 passed, 1 failed\n"' ERR # of layout or build; later steps go on

step "layout"
git ls-files '*.c' '*.h' | xargs -P "$jobs" -n 100 clang-format-14 --dry-run --Werror

step "suite"
build build -DCMAKE_C_FLAGS_RELEASE=-O2
rm -rf build/tests/calls
play build suite --label-exclude 'test_memory|test_death|samples|tools|servers'

if [ "${1:-}" = --all ]; then
    step "deaths, and other people's programs"
    play build more --label-regex 'test_death|tools|servers'

    step "suite with sanitizers"
    # Where memory came from is a third of their time; whoever looks into a finding asks for it again.
    # The last 8 MB of freed memory are watched, not 256: they stay in the cache.
    export ASAN_OPTIONS=malloc_context_size=0:quarantine_size_mb=8:thread_local_quarantine_size_kb=64
    kind=ON # or without what the same runs each time do not listen to, which costs time
    [ "$fuzz_seconds" != fixed ] || kind=FIXED
    CC=clang LDFLAGS=-fuse-ld=lld build build-clang -DTPQ_SANITIZE=ON -DTPQ_FUZZ=$kind
    TPQ_CALLS=$PWD/build/tests/calls play build-clang sanitized \
        --label-exclude 'test_death|figures|sources|tools'

    step "fuzzing, seconds a target: $fuzz_seconds"
    targets=$(env -u FUZZ_TARGET tests/fuzz/fuzz.sh build-clang)
    rm -f build-clang/fuzz_*.xml
    xargs -n 1 -P "$jobs" bash -c 'fuzz "$1"' fuzz <<<"$targets"
    for target in $targets; do
        reports+=("build-clang/fuzz_$target.xml")
    done
fi

trap - ERR
python3 tests/tools/summary.py ${1:+--share 5} "${reports[@]}" || failed=1
exit $failed
