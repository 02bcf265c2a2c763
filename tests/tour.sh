#!/bin/sh
# tour.sh - the tour of the README, word by word, on the samples that ship with the repository: each
# command must succeed. Nothing but the installed program is needed (and sqlite3 for the last one,
# which is left out where there is none).
#
# usage: tests/tour.sh PROGRAM EXTENSION     what was built, or installed
set -eu
program=$(realpath "$1")
extension=$(realpath "$2")
root=$(dirname "$(realpath "$0")")/..
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# The inputs have the names that the tour gives them.
mkdir -p "$folder/bin" "$folder/traces/base"
ln -s "$program" "$folder/bin/tpq"
for rank in 0 1; do
    gzip -dc "$root/tests/fixtures/train/rank_$rank.json.gz" >"$folder/traces/base/rank_${rank}_step_8.json"
done
cp "$root/tests/fixtures/jax/small.xplane.pb" "$folder/host.xplane.pb"
cp "$root/sql/extensions/longest_kernels.sql" "$folder/mine.sql"
cp "$root/tests/fixtures/tt/ops_perf_results.csv" "$folder"
cp "$root/tests/fixtures/nsys/small.sqlite" "$folder/train.sqlite"

mkdir "$folder/node1"
"$program" ingest -q --db "$folder/node1/tpq.db" "$root/tests/fixtures/train/rank_1.json.gz"

sed -n '/^## A tour/,/^`tpq VERB/s/^    //p' "$root/README.md" | sed 's/ && /\n/' >"$folder/tour"
grep -q '^tpq ingest' "$folder/tour"
rank=0
for name in $(grep -o '[a-z]*\.json\.gz' "$folder/tour" | sort -u); do
    cp "$root/tests/fixtures/train/rank_$rank.json.gz" "$folder/$name"
    rank=$((1 - rank))
done
if ! command -v sqlite3 >/dev/null; then
    sed -i '/^sqlite3 /d' "$folder/tour"
fi
sed -i "s|build/tpq|${extension%.so}|" "$folder/tour"
cd "$folder"
env -i PATH="$folder/bin:/usr/bin:/bin" HOME="$folder" LC_ALL=C.UTF-8 sh -eux tour
