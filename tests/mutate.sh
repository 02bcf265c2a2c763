#!/bin/bash
# mutate.sh - does the suite notice when a core function does something else? Operators, constants,
# conditions and calls of the functions that tests/tools/mutants.tsv names are changed, one at a time,
# and the quick tests that reach the change run until one fails. Prints how many were noticed in each
# function, and those that were not. A maintainer's tool, not a test: about an hour on 2 cores.
#
# usage: tests/mutate.sh                  all functions of the table
#        tests/mutate.sh FUNCTION...      only these
set -eu -o pipefail
cd "$(dirname "$0")/.."
. src/packages.sh
packages_need $packages_build $packages_test python3-clang-14
exec /usr/bin/python3 -B tests/tools/mutate.py build-mutate tests/tools/mutants.tsv "$@"
