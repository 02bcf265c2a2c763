#!/bin/sh
# Makes the warehouse that the SQL tests ask: two ranks as two runs, and a run without Python
# frames. The same every time.
#
#     make_warehouse.sh MAKE_TRACE TPQ WAREHOUSE
set -eu
make_trace=$1 tpq=$2 warehouse=$3
traces=$(mktemp -d)
trap 'rm -rf "$traces"' EXIT

"$make_trace" --rank 0 --seed 1 > "$traces/rank0.json"
"$make_trace" --rank 1 --seed 2 --layers 3 --serve > "$traces/rank1.json"
"$make_trace" --seed 3 --steps 1 --no-python > "$traces/frameless.json"

rm -f "$warehouse"
for run in rank0 rank1 frameless; do
    "$tpq" ingest --quiet --db "$warehouse" --run "$run" "$traces/$run.json"
done
"$tpq" check --quiet --db "$warehouse"
