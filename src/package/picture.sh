#!/bin/sh
# picture.sh - takes the picture of the page that the README shows: the sample that ships with tpq, in
# Chromium without a window. Run it again when the page changes.
#
# usage: src/package/picture.sh [PROGRAM]     PROGRAM: build/tpq if not given
set -eu
cd "$(dirname "$0")/../.."
program=$(realpath "${1:-build/tpq}")
picture=$PWD/src/package/page.png
most=150000 # bytes

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
browser=$(command -v chromium || command -v chromium-browser)
"$program" ingest -q --db "$folder/sample.db" --run sample tests/fixtures/train
"$program" report -q --db "$folder/sample.db" --run sample --html="$folder/page.html"
"$browser" --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
    --hide-scrollbars --user-data-dir="$folder/profile" --window-size=1280,812 \
    --virtual-time-budget=10000 --screenshot="$folder/page.png" "file://$folder/page.html" \
    2>"$folder/said" || { cat "$folder/said" >&2; exit 1; }
size=$(stat -c %s "$folder/page.png")
if [ "$size" -gt "$most" ]; then
    echo "picture.sh: $size bytes are more than $most" >&2
    exit 1
fi
cp "$folder/page.png" "$picture"
echo "wrote src/package/page.png: $size bytes"
