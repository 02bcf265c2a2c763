#!/bin/bash
# fuzz.sh - one fuzz target for some seconds, on its own corpus and on what was once a crash, with
# the words that stand in the code which it is about. What it finds lies in BUILD, what it learns in
# BUILD/corpus/TARGET.
#
# With `fixed` for the seconds it is the same each time and on every machine: so many runs, from a
# fixed seed, and what was learnt before does not count. Addresses differ each time, so values that
# are compared do not lead it then; nor are inputs decompressed by a thread.
#
# usage: tests/fuzz/fuzz.sh BUILD TARGET SECONDS|fixed [OPTION OF LIBFUZZER...]
#        tests/fuzz/fuzz.sh BUILD        the names of the targets
set -eu -o pipefail
export LC_ALL=C
cd "$(dirname "$0")/../.."
build=$1
if [ $# = 1 ]; then
    { "$build/tests/fuzz" && "$build/tests/fuzz_small" | sed 's/$/_small/'; } | sort
    exit
fi
target=$2 seconds=$3
shift 3
name=${target%_small}
export FUZZ_TARGET=$name

sources() { # of which the target is about
    case $name in
    json | ingest | split) echo ingest/kineto ingest/trace ;;
    xplane | hlo) echo ingest/xplane ;;
    database) echo ingest/nsys ingest/rocpd ;;
    store) echo ingest ;;
    workbook) echo query/compare ;;
    texts) echo query/select sql/docs.c ;;
    requests) echo src/command/request_log.c ;;
    annotations) echo ingest/graph_notes.c ;;
    agent) echo src/agent query/agent ;;
    extension) echo query/extension sql/extensions sql/evaluate ;;
    *) [ -d "ingest/$name" ] && echo "ingest/$name" || true ;;
    esac
}

words() { # never none: libFuzzer takes an empty list for a fault
    echo '"NULL"'
    about=$(sources)
    [ -z "$about" ] || find $about -name '*.[cs]*' \
        -exec grep -oh '"[A-Za-z_/][^"%\\ ]\{1,30\}"' {} + | grep -v '\.h"' | sort -u
    [ ! -e "tests/fuzz/$name.dict" ] || cat "tests/fuzz/$name.dict"
}

runs() { # 10,000, but where that takes more than half a minute
    case $name in
    warehouse | extension) echo 500 ;; # each is a whole call
    values | store | split | annotations) echo 750 ;;
    json | ingest | rocprof | database | workbook) echo 6000 ;;
    *) echo 10000 ;;
    esac
}

learnt=$build/corpus/$target
folders=()
for folder in "tests/fuzz/corpus/$name" "tests/fuzz/crashers/$name"; do
    [ ! -d "$folder" ] || folders+=("$folder")
done
if [ "$seconds" = fixed ]; then # folders list their files in any order, and are read again by the clock
    export FUZZ_FIXED=1
    learnt+=.fixed
    rm -rf "$learnt"
    how=(-seed=1 -runs="$(runs)" -reload=0 -use_cmp=0 -timeout=300
        -seed_inputs="$(find "${folders[@]}" -type f | sort | paste -sd,)")
    folders=()
elif grep -qs '^TPQ_FUZZ:.*=FIXED$' "$build/CMakeCache.txt"; then
    echo "fuzz.sh: $build is built for fixed runs alone (TPQ_FUZZ=FIXED); TPQ_FUZZ=ON is for others" >&2
    exit 2
else
    how=(-max_total_time="$seconds" -timeout=20)
fi
mkdir -p "$learnt"
words >"$learnt.dict"
# Where memory came from is a third of the time; whoever looks into a finding asks for it again.
export ASAN_OPTIONS=${ASAN_OPTIONS:-malloc_context_size=0}
exec "$build/tests/fuzz${target#"$name"}" "${how[@]}" -rss_limit_mb=2048 \
    -artifact_prefix="$build/$target-" -dict="$learnt.dict" -print_funcs=0 \
    -print_final_stats=1 "$@" "$learnt" "${folders[@]}"
