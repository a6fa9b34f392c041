"""Damaged files through load, predict and explain: nothing may crash, hang, or eat all memory.

``make fuzz`` runs 10⁵ of them, ``make fuzz FUZZ=1000`` fewer. Workers are processes of their own:
when one dies, the file it died of is named. ``python tests/saving/fuzz.py --case 123`` runs one.
"""

import argparse
import faulthandler
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import warnings
import zipfile
from contextlib import suppress
from pathlib import Path

HERE = Path(__file__).parent
ALONE = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
ROOM = 2**30
"""Bytes a worker may take beyond what it has when its models are made."""
LONGEST = 60.0
"""Seconds that one file may take; on a busy machine, a hundred times what it does."""
METHODS = ("predict", "predict_proba", "decision_function", "transform")


def write(path, document, arrays):
    """Write a file as `save` does, of whatever parts."""
    import json

    with zipfile.ZipFile(path, "w") as archive:
        for name, data in [
            ("model.json", json.dumps(document).encode()),
            *((f"arrays/{i}.npy", one) for i, one in enumerate(arrays)),
        ]:
            archive.writestr(zipfile.ZipInfo(name), data)


def ask(path, X, functions):
    """Load, and ask all there is to ask; return how far it went. Refusals are good answers."""
    import seamark as sm

    try:
        model = sm.load(path, functions)
    except sm.saving.ModelFileError:
        return "refused"
    said = 0
    for method in METHODS:
        said += _asked(lambda: getattr(model, method)(X))  # noqa: B023
    said += _asked(lambda: str(model.explain(X[:2])))
    _asked(lambda: repr(model))
    return "answered" if said else "failed"


def _asked(question):
    try:
        question()
    except MemoryError:
        raise
    except Exception:
        return False
    return True


def bound_memory():
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + ROOM
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def work(first, stop, step, folder):
    """Try cases; say in `at` which one is under way, and in `found` what was wrong."""
    from fuzz_mutations import damaged
    from fuzz_seeds import FUNCTIONS, seeds

    known = seeds()
    warnings.simplefilter("ignore")
    bound_memory()
    counts = {"refused": 0, "answered": 0, "failed": 0}
    at = os.open(folder / "at", os.O_CREAT | os.O_WRONLY)
    for number in range(first, stop, step):
        os.pwrite(at, f"{number:12d}".encode(), 0)
        seed, document, arrays, done = damaged(number, known)
        write(folder / "m", document, arrays)
        try:
            counts[ask(folder / "m", seed.X, FUNCTIONS)] += 1
        except BaseException as error:
            with (folder / "found").open("a") as file:
                file.write(
                    f"{number}: {type(error).__name__} {str(error)[:80]}; {seed.name}: {done}\n"
                )
    (folder / "counts").write_text(repr(counts))


class Worker:
    """One process over cases first, first + step, …; started again after each death."""

    def __init__(self, first, stop, step):
        self.next, self.stop, self.step = first, stop, step
        self.folder = Path(tempfile.mkdtemp())
        self.counts = {}
        self.deaths = []
        self.start()

    def start(self):
        self.seen, self.since = "", time.monotonic()
        numbers = [str(n) for n in (self.next, self.stop, self.step)]
        command = [sys.executable, __file__, "--work", *numbers, str(self.folder)]
        self.log = (self.folder / "log").open("w")
        self.process = subprocess.Popen(
            command,
            stdout=subprocess.DEVNULL,
            stderr=self.log,
            env={**os.environ, **ALONE},
            start_new_session=True,
        )

    def end(self):
        """End the process and all that it started."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def at(self):
        file = self.folder / "at"
        return file.read_text().strip() if file.exists() else ""

    def running(self):
        """Look after it; return whether there is more to do."""
        code = self.process.poll()
        if code is None:
            if self.at() != self.seen:
                self.seen, self.since = self.at(), time.monotonic()
            if self.seen and time.monotonic() - self.since > LONGEST:
                self.process.kill()
            return True
        self.end()
        self.log.close()
        if code == 0:
            self.counts = eval((self.folder / "counts").read_text())
            return False
        log = (self.folder / "log").read_text()
        if not self.at():
            sys.exit(f"a worker did not start: {log[-2000:]}")
        number = int(self.at())
        reason = "took too long" if code == -9 else f"died of signal {-code}"
        self.deaths.append(f"{number}: {reason}; {log[:600]}")
        self.next = number + self.step
        self.start()
        return True

    def found(self):
        file = self.folder / "found"
        return self.deaths + (file.read_text().splitlines() if file.exists() else [])


def run(count, first=0, workers=2):
    """Try `count` cases; return what was wrong, and how many were refused and answered."""
    team = [Worker(first + i, first + count, workers) for i in range(workers)]
    while any(one.running() for one in team):
        time.sleep(0.2)
    counts = {}
    for one in team:
        for name, n in one.counts.items():
            counts[name] = counts.get(name, 0) + n
    found = [line for one in team for line in one.found()]
    for one in team:
        shutil.rmtree(one.folder)
    return found, counts


def keep(numbers, folder):
    from fuzz_mutations import damaged
    from fuzz_seeds import seeds

    known = seeds()
    folder.mkdir(parents=True, exist_ok=True)
    for number in numbers:
        seed, document, arrays, done = damaged(number, known)
        write(folder / f"{number}.seamark", document, arrays)
        print(number, seed.name, done)
    return known


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--work", nargs=4, help=argparse.SUPPRESS)
    parser.add_argument("--case", type=int, help="show and run one case, in this process")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))  # so that workers end as well
    if options.work:
        faulthandler.enable()
        first, stop, step, folder = options.work
        work(int(first), int(stop), int(step), Path(folder))
    elif options.case is not None:
        faulthandler.enable()
        folder = Path(tempfile.mkdtemp())
        known = keep([options.case], folder)
        from fuzz_seeds import FUNCTIONS

        X = known[options.case % len(known)].X
        print(ask(folder / f"{options.case}.seamark", X, FUNCTIONS))
    else:
        start = time.monotonic()
        found, counts = run(options.count, options.first, options.workers)
        print("\n".join(found))
        seconds = time.monotonic() - start
        print(f"{options.count} damaged files in {seconds:.0f} s: {counts}, {len(found)} found")
        sys.exit(bool(found))


if __name__ == "__main__":
    main()
