#!/bin/bash
# fuzz.sh - one fuzz target for some seconds, on its own corpus and on what was once a crash, with
# the words that stand in the code which it is about. What it finds lies in BUILD, what it learns in
# BUILD/corpus/TARGET.
#
# usage: tests/fuzz/fuzz.sh BUILD TARGET SECONDS [OPTION OF LIBFUZZER...]
set -eu -o pipefail
cd "$(dirname "$0")/../.."
build=$1 target=$2 seconds=$3
shift 3
name=${target%_small}

sources() { # of which the target is about
    case $name in
    json | ingest | split) echo ingest/kineto ingest/trace ;;
    xplane | hlo) echo ingest/xplane ;;
    database) echo ingest/nsys ingest/rocpd ;;
    store) echo ingest ;;
    workbook) echo query/compare ;;
    texts) echo query/select sql/docs.c ;;
    extension) echo query/extension sql/extensions sql/evaluate ;;
    *) [ -d "ingest/$name" ] && echo "ingest/$name" || true ;;
    esac
}

words() { # never none: libFuzzer takes an empty list for a fault
    echo '"NULL"'
    folders=$(sources)
    [ -z "$folders" ] || find $folders -name '*.[cs]*' \
        -exec grep -oh '"[A-Za-z_/][^"%\\ ]\{1,30\}"' {} + | grep -v '\.h"' | sort -u
    [ ! -e "tests/fuzz/$name.dict" ] || cat "tests/fuzz/$name.dict"
}

learnt=$build/corpus/$target
mkdir -p "$learnt"
words >"$build/corpus/$target.dict"
folders=("$learnt")
for folder in "tests/fuzz/corpus/$name" "tests/fuzz/crashers/$name"; do
    [ ! -d "$folder" ] || folders+=("$folder")
done
# Where memory came from is a third of the time; whoever looks into a finding asks for it again.
export ASAN_OPTIONS=${ASAN_OPTIONS:-malloc_context_size=0}
exec "$build/tests/fuzz_$target" -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=20 \
    -artifact_prefix="$build/$target-" -dict="$build/corpus/$target.dict" -print_funcs=0 \
    -print_final_stats=1 "$@" "${folders[@]}"
