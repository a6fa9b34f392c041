#!/bin/bash
# All that needs a GPU, in commands of less than ten minutes each. Logs and the page go to $OUT.
# Usage: benchmarks/cuda_device.sh page|tests|sanitize|all [data folder]
#   page      the page's tables and whole fits (nothing else may run on the GPU meanwhile)
#   tests     every test that a GPU can run, a process for each file, side by side
#   sanitize  the kernels' tests under compute-sanitizer
# The tables of "page" and the counts of "tests" make docs/benchmarks/cuda.md; `make bench-cuda` does both.
WHAT=${1:-all} DATA=${2:-data} OUT=${OUT:-build/cuda}
export PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
mkdir -p "$OUT"
pip install --quiet --no-build-isolation --no-deps --no-index . || exit 1
stage() { # name, seconds, command...
    local name=$1 limit=$2 start=$SECONDS
    shift 2
    timeout "$limit" "$@" > "$OUT/$name.log" 2>&1
    echo "[$name: status $?, $((SECONDS - start)) s]"
}
if [ "$WHAT" = page ] || [ "$WHAT" = all ]; then
    stage page 560 python3 -m benchmarks.cuda --data "$DATA" --out "$OUT" \
        --only roofs,strings,series,vectors,parts,elastic,models,cold,library,first,interrupted
    cat "$OUT/page.log"
fi
if [ "$WHAT" = tests ] || [ "$WHAT" = all ]; then
    stage tests 560 python3 -m benchmarks.cuda_tests --limit 500
    cat "$OUT/tests.log"
fi
if [ "$WHAT" = sanitize ] || [ "$WHAT" = all ]; then
    stage sanitize 560 python3 -m benchmarks.cuda_tests --sanitize --limit 500
    cat "$OUT/sanitize.log"
fi
