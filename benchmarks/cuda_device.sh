#!/bin/bash
# All that needs a GPU, in one go and without installing anything: versions, tests, the benchmark,
# profiles, sanitizers, and the library's own suites with the GPU as backend. Logs go to $OUT.
# Usage: benchmarks/cuda_device.sh [data folder] [further packages for Python]
DATA=${1:-data} OUT=${OUT:-build/cuda}
export PYTHONUNBUFFERED=1 PYTHONPATH=src:.:$2 PYTHONDONTWRITEBYTECODE=1
mkdir -p "$OUT"
stage() { # name, seconds, command...
    local name=$1 limit=$2 start=$SECONDS
    shift 2
    timeout "$limit" "$@" > "$OUT/$name.log" 2>&1
    echo "[$name: status $?, $((SECONDS - start)) s] $(tail -n 1 "$OUT/$name.log" | cut -c 1-300)"
}
TEST="python3 -m pytest -q -p no:cacheprovider -W default"
PROFILE="ncu --clock-control none --section SpeedOfLight --section Occupancy --section WarpStateStats
         --section ComputeWorkloadAnalysis --section LaunchStats"
BENCH="python3 -m benchmarks.cuda --data $DATA --out $OUT"

stage versions 60 python3 -c "import cupy, sklearn, scipy, numpy, joblib, threadpoolctl, pytest, hypothesis
print(*(f'{m.__name__} {m.__version__}' for m in (cupy, sklearn, scipy, numpy, joblib, pytest)))"
stage tests 100 $TEST tests/cuda -k "gpu or backend"
grep -E "^(FAILED|ERROR|E  )" "$OUT/tests.log" | head -n 30
stage bench 170 $BENCH --variants
stage profile_strings 30 $PROFILE --kernel-name levenshtein --launch-skip 3 --launch-count 1 $BENCH --only strings
stage profile_series 30 $PROFILE --kernel-name dtw --launch-skip 9 --launch-count 8 $BENCH --only series
stage profile_vectors 30 $PROFILE --kernel-name regex:"sets|manhattan" --launch-skip 3 --launch-count 5 $BENCH --only vectors
stage memcheck 40 compute-sanitizer --tool memcheck --error-exitcode 9 $TEST tests/cuda/test_host_tiles.py \
    tests/cuda/test_host_dtw.py -k "gpu and not agrees"
stage racecheck 40 compute-sanitizer --tool racecheck --error-exitcode 9 $TEST tests/cuda/test_host_levenshtein.py \
    tests/cuda/test_host_tiles.py -k "gpu and (very or several or narrow or cannot)"
grep -hE "=========.*(ERROR SUMMARY|RACECHECK SUMMARY|Invalid|Race)" "$OUT"/{mem,race}check.log | head -n 12
stage suites 40 env SEAMARK_ISA=cuda $TEST --maxfail=5 tests/measures
grep -hE "Compute \(SM\) Throughput|Registers Per|Achieved Occ|Issue Slots Busy|Duration|  dtw|  sets|  lev|  manh" \
    "$OUT"/profile_*.log | cut -c 1-100 | head -n 70
cat "$OUT/bench.log"
# Few files: the rest of the logs in two.
cd "$OUT" && cat profile_*.log > profiles.log && cat memcheck.log racecheck.log suites.log versions.log > checks.log
rm -f profile_*.log memcheck.log racecheck.log suites.log versions.log
