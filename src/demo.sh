#!/bin/sh
# demo.sh - from nothing to answers: installs what is missing, builds tpq, ingests the sample that
# ships with it (two ranks of a small training run) and looks at it.
set -eu
cd "$(dirname "$0")/.."
. src/packages.sh
packages_need $packages_build

cmake -S . -B build -DTPQ_TESTS=OFF >/dev/null
cmake --build build -j "$(nproc)" | grep -E 'warning|error|Built target tpq' || true

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export TPQ_DB=$folder/demo.db

show() {
    printf '\n$ %s\n' "$*"
    "$@"
}
PATH=$PWD/build:$PATH
show tpq ingest --run sample --label gpu=H100 tests/fixtures/train
show tpq runs
show tpq traces
show tpq sql "SELECT launcher, name AS kernel, count(*) AS calls, round(sum(dur_ns) / 1e3, 1) AS us
  FROM gpu_slice GROUP BY launcher, name ORDER BY us DESC LIMIT 8"
show tpq report --trace 1 gpu_timeline ops_summary
show tpq tree --trace 1 --depth 3 --no-python | head -n 12
show tpq check
