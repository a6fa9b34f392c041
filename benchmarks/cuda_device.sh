#!/bin/bash
# All that needs a GPU, in one go and without installing anything: tests, the benchmark,
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

# The command line needs an installed package.
stage tests 60 $TEST tests/cuda -k "(gpu or backend) and not command_line"
grep -E "^(FAILED|ERROR|E  )" "$OUT/tests.log" | head -n 30
stage vectors 40 $BENCH --only roofs,vectors --variants
stage bench 120 $BENCH --only roofs,strings,series,vectors,parts,elastic,fit,cold,library,first,interrupted
cp "$OUT/cuda.md" "$OUT/page.md"
stage many 130 $BENCH --only many
stage profile_vectors 35 $PROFILE --kernel-name regex:"sets|manhattan" --launch-skip 1 --launch-count 14 $BENCH --only vectors
stage memcheck 40 compute-sanitizer --tool memcheck --error-exitcode 9 $TEST tests/cuda/test_host_tiles.py \
    tests/cuda/test_host_sums.py -k "gpu and not agrees"
stage racecheck 40 compute-sanitizer --tool racecheck --error-exitcode 9 $TEST tests/cuda/test_host_sums.py \
    tests/cuda/test_host_tiles.py -k "gpu and (ridge or loss or counted or narrow or cannot)"
PARTS="tests/cuda/test_host_substring.py tests/cuda/test_host_subsequence.py tests/cuda/test_host_elastic.py tests/cuda/test_host_tiles.py"
SOME="gpu and (flat or short or cut or nothing or planes or ends or members or (reference and (steps or share)))"
stage memcheck_parts 60 compute-sanitizer --tool memcheck --error-exitcode 9 $TEST $PARTS -k "$SOME"
stage racecheck_parts 60 compute-sanitizer --tool racecheck --error-exitcode 9 $TEST $PARTS -k "$SOME"
grep -hE "=========.*(ERROR SUMMARY|RACECHECK SUMMARY|Invalid|Race)" "$OUT"/{mem,race}check*.log | head -n 12
stage suites 60 env SEAMARK_ISA=cuda $TEST --maxfail=4 --tb=short tests/measures
stage kernels 90 $TEST --maxfail=4 --tb=short tests/engine -k cuda
grep -hE "^(FAILED|ERROR|E  )" "$OUT"/{suites,kernels}.log | cut -c 1-200 | head -n 24
grep -hE "Registers Per|Achieved Occ|Issue Slots Busy|Duration|^  sets|^  manh" "$OUT"/profile_*.log | cut -c 1-90 | head -n 60
cat "$OUT/vectors.log" "$OUT/bench.log" "$OUT/many.log"
# Few files: the rest of the logs in two.
cd "$OUT" && cat profile_*.log > profiles.log && cat {mem,race}check*.log suites.log kernels.log > checks.log
rm -f profile_*.log {mem,race}check*.log suites.log kernels.log
