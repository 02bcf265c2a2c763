#!/bin/bash
# coverage.sh - what of ingest, sql, query and src the suite reaches: lines, and branches that were
# taken at least once, by file, the worst first, and in all. A maintainer's tool, not a test: the
# build without optimisation and the suite take about 20 minutes on 2 cores.
#
# usage: tests/coverage.sh [CTEST_OPTION...]     -R 'json|sql_': only what these tests reach
#                                                -LE test_memory: without those of this label, too
#        tests/coverage.sh --lines FILE          its lines that nothing reached, after a run
#
# What a child of a test did counts when it ended by exit() or was given to __gcov_dump; scenes of
# allocation failure do the latter.
set -eu -o pipefail
cd "$(dirname "$0")/.."
. src/packages.sh
packages_need $packages_build $packages_test $packages_all
folder=build-coverage
jobs=$(nproc)

if [ "${1:-}" != --lines ]; then
    cmake -S . -B "$folder" -DTPQ_TESTS=ON -DCMAKE_BUILD_TYPE=Debug \
        -DCMAKE_C_FLAGS='--coverage -fprofile-abs-path -fprofile-update=atomic' >/dev/null
    cmake --build "$folder" -j "$jobs" >"$folder/build.log" 2>&1 || {
        grep -E 'error|warning' "$folder/build.log" >&2
        exit 1
    }
    find "$folder" -name '*.gcda' -delete
    excluded=samples options=()
    while [ $# -gt 0 ]; do
        case $1 in
        -LE | --label-exclude) # of several ctest excludes only what all of them name
            excluded="$excluded|${2:?"$1 needs a pattern"}"
            shift
            ;;
        *) options+=("$1") ;;
        esac
        shift
    done
    # what libgcov says where a test lets no file grow is not a word of the program
    GCOV_ERROR_FILE=/dev/null ctest --test-dir "$folder" -j "$jobs" --label-exclude "$excluded" "${options[@]}" |
        tail -n 30 || failed=$?
fi
python3 tests/tools/coverage.py "$folder" "$@"
exit "${failed:-0}" # of the suite
