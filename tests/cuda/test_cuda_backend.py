"""The backend "cuda": chosen by name alone, and one sentence for everything that can go wrong."""

import os
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import seamark as sm
from seamark.engine import backends
from seamark.engine import cuda as cuda_backend
from seamark.engine.cuda import Cuda
from seamark.engine.cuda import device as module
from seamark.engine.cuda.device import Device, source_of


class OutOfMemoryError(MemoryError):
    pass


class CUDARuntimeError(RuntimeError):
    pass


def fake_cupy(**runtime):
    """As much of CuPy as the messages need."""
    pool = SimpleNamespace(free_bytes=lambda: 0, free_all_blocks=lambda: freed.append(1))
    freed = []
    attributes = {"MultiProcessorCount": 2, "MaxSharedMemoryPerBlockOptin": 1 << 16}
    cuda = SimpleNamespace(
        memory=SimpleNamespace(OutOfMemoryError=OutOfMemoryError),
        runtime=SimpleNamespace(CUDARuntimeError=CUDARuntimeError, **runtime),
        driver=SimpleNamespace(CUDADriverError=CUDARuntimeError),
        Device=lambda: SimpleNamespace(attributes=attributes),
    )
    return SimpleNamespace(
        cuda=cuda,
        freed=freed,
        get_default_memory_pool=lambda: pool,
        get_default_pinned_memory_pool=lambda: pool,
    )


@pytest.fixture
def backend(host):
    return Cuda(host, backends.Reference())


def test_is_never_chosen_silently():
    assert "cuda" not in backends.backends()
    assert backends.backend().name != "cuda" or os.environ.get("SEAMARK_ISA") == "cuda"


def test_without_cupy_one_sentence(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "cupy", None)
    with pytest.raises(RuntimeError, match=r"needs CuPy: pip install 'seamark\[cuda13\]'"):
        module._cupy()


@pytest.mark.parametrize(
    ("count", "message"),
    [(0, "found no GPU; leave it out"), (None, r"no GPU that CuPy can use \(driver is too old\)")],
)
def test_without_a_gpu_one_sentence(monkeypatch, count, message):
    def devices():
        if count is None:
            raise CUDARuntimeError("driver is too old")
        return count

    monkeypatch.setitem(__import__("sys").modules, "cupy", fake_cupy(getDeviceCount=devices))
    with pytest.raises(RuntimeError, match=message):
        module._cupy()


@pytest.mark.parametrize(
    ("error", "kind", "message"),
    [
        (OutOfMemoryError("16 GB"), MemoryError, r"too little memory left \(16 GB\); use fewer"),
        (CUDARuntimeError("device lost"), RuntimeError, r"the GPU failed \(device lost\); nothing"),
    ],
)
def test_what_the_device_says_is_one_sentence(error, kind, message):
    def fail(*_, **__):
        raise error

    cupy = fake_cupy()
    cupy.asarray = fail
    with pytest.raises(kind, match=message):
        Device(cupy).upload(np.zeros(3))


def test_a_cupy_that_cannot_compile_is_one_sentence():
    """One of another CUDA finds no NVRTC, or one that does not know the chip."""

    def compile(**_):
        raise RuntimeError("CuPy failed to load libnvrtc.so.12\nOSError: no such file")

    cupy = fake_cupy()
    cupy.RawModule = lambda **_: SimpleNamespace(compile=compile)
    message = r"could not compile .* \(CuPy failed to load libnvrtc.so.12\); it must be the CuPy of"
    with pytest.raises(RuntimeError, match=message):
        Device(cupy).launch("rows", "hashes", {}, (1, 1), 64, 0)


def test_a_forked_process_is_told():
    device = Device(fake_cupy())
    device._process += 1
    with pytest.raises(RuntimeError, match="forked from one that has used the GPU"):
        device.free_bytes()


def test_memory_is_given_back_at_the_end(monkeypatch):
    cupy = fake_cupy()
    monkeypatch.setattr(backends, "_cuda", lambda: Cuda(Device(cupy), backends.Reference()))
    with sm.engine.using("cuda"):
        assert not cupy.freed
    assert cupy.freed


def test_names_that_are_none_are_told_the_others():
    message = "'gpu' here; there are reference.*, cuda, threads"
    with pytest.raises(ValueError, match=message), sm.engine.using("gpu"):
        pass


def test_serves_the_library(backend, rng):
    strings = ["sea", "mark", "seamark", "", "see"]
    series = [rng.normal(size=n) for n in (5, 40, 9)]
    sets = [rng.normal(size=(n, 3)) for n in (2, 70, 5)]
    X = rng.normal(size=(9, 4))
    jobs = [
        ("levenshtein", strings),
        ("jaro_winkler", strings),
        (sm.measures.DTW(window=0.5), series),
        ("twe", series),
        ("ddtw", series),
        ("msm", [np.stack([x, x[::-1]]) for x in series]),
        ("modified_hausdorff", sets),
        ("manhattan", X),
        ("gaussian", X),
    ]
    parts = [
        ("substring", strings, ["sea", "␂ma", "k␃"]),
        ("member", sets, sets[1][:5]),
        ("subsequence", series, [[0.1, 0.5, -1.0], series[1][:9]]),
        (sm.measures.Member(width=1.5), sets, sets[1][:5]),
    ]
    for measure, *objects in [*jobs, *parts]:
        expected = sm.cross(measure, *objects)
        with sm.engine.using(backend=backend):
            np.testing.assert_allclose(sm.cross(measure, *objects), expected, rtol=1e-5, atol=1e-6)


def test_a_model_is_the_same(backend):
    words = ["sea", "seas", "see", "mark", "marks", "park"] * 5
    y = [0, 0, 0, 1, 1, 1] * 5
    model = sm.LandmarkClassifier("levenshtein", n_landmarks=4, random_state=0)
    expected = model.fit(words, y).predict_proba(words)
    with sm.engine.using(backend=backend):
        found = model.fit(words, y).predict_proba(words)
    np.testing.assert_array_equal(found, expected)


def test_arrays_are_checked_before_kernels_see_them(backend):
    codes, offsets, out = np.array([0, 1], np.int32), np.array([0, 2]), np.zeros((1, 1), np.float32)
    stop = np.zeros(1, np.uint8)
    plan = backend.levenshtein(codes, offsets, 2)
    for bad in ([0, 3], [2, 0], [-1, 2]):
        with pytest.raises(ValueError, match="offsets"):
            plan.run(codes, np.array(bad), out, stop)
    with pytest.raises(ValueError, match="codes out of range"):
        plan.run(np.array([0, 3], np.int32), offsets, out, stop)
    with pytest.raises(ValueError, match="codes out of range"):
        backend.levenshtein(codes, offsets, 1)
    with pytest.raises(ValueError, match="wrong shape"):
        plan.run(codes, offsets, np.zeros((2, 1), np.float32), stop)
    series = backend.dtw(np.zeros((2, 1)), offsets, -1, -1.0, False)
    with pytest.raises(ValueError, match="differ in their number of columns"):
        series.run(np.zeros((2, 2)), offsets, out, stop)
    with pytest.raises(ValueError, match="an object is empty"):
        series.run(np.zeros((2, 1)), np.array([0, 0]), out, stop)
    with pytest.raises(ValueError, match="do not fit together"):
        backend.manhattan(np.zeros((1, 2)), np.zeros((1, 3)), out, stop)


def test_sources_include_nothing():
    names = [path.stem for path in Path(module.__file__).parent.glob("*.cu")]
    assert len(names) > 5
    assert "#include" not in source_of(*names)


def test_stops_before_a_part(backend):
    offsets, out = np.array([0, 1]), np.full((1, 1), 7, np.float32)
    plan = backend.levenshtein(np.zeros(1, np.int32), offsets, 1)
    plan.run(np.zeros(1, np.int32), offsets, out, np.ones(1, np.uint8))
    assert out[0, 0] == 7


def test_ctrl_c_is_seen_between_parts(host, backend, monkeypatch):
    monkeypatch.setattr(host, "room", 2 * (4 + 4))  # two parts of one row each
    stop, offsets = np.zeros(1, np.uint8), np.arange(6)
    plan = backend.levenshtein(np.zeros(1, np.int32), np.array([0, 1]), 1)
    launched = []

    def launch(*given, before=host.launch):
        launched.append(1)
        stop[0] = len(launched) == 3
        before(*given)

    monkeypatch.setattr(host, "launch", launch)
    out = np.full((5, 1), 7, np.float32)
    plan.run(np.zeros(5, np.int32), offsets, out, stop)
    assert len(launched) == 3
    np.testing.assert_array_equal(out[:, 0], [0, 0, 7, 7, 7])


def test_memory_of_a_run_is_bounded_by_a_setting():
    cupy = fake_cupy(memGetInfo=lambda: (1 << 20, 1 << 21))
    device = Device(cupy)
    assert device.free_bytes() == 1 << 19
    with sm.engine.using(device_bytes=5000):
        assert device.free_bytes() == 5000
    with sm.engine.using(device_bytes=1 << 40):
        assert device.free_bytes() == 1 << 20


def test_the_command_line_says_what_is_missing(monkeypatch, capsys, tmp_path):
    from seamark.cli import main

    monkeypatch.setitem(__import__("sys").modules, "cupy", None)
    monkeypatch.setattr(cuda_backend, "the_device", module.the_device.__wrapped__)
    monkeypatch.setattr(backends, "_cuda", backends._cuda.__wrapped__)
    table = tmp_path / "words.csv"
    table.write_text("word,y\nsea,0\nmark,1\n")
    given = ["fit", str(table), "--column", "word", "--target", "y", "-o", str(tmp_path / "m")]
    assert main([*given, "--device", "cuda"]) == 1
    assert "--device cuda needs CuPy: pip install" in capsys.readouterr().err


def test_the_command_line_fits_and_predicts_there(monkeypatch, apart, tmp_path, rng):
    from seamark.cli import main

    monkeypatch.setattr(
        backends, "_cuda", lambda: Cuda(apart, list(backends.backends().values())[-1])
    )
    words = ["".join(rng.choice(list("abcd"), k)) for k in rng.integers(3, 12, 120)]
    table, model, out = (tmp_path / name for name in ("words.csv", "model", "out.csv"))
    table.write_text("word,y\n" + "".join(f"{w},{w.count('a') > 1:d}\n" for w in words))
    named = ["--column", "word", "--target", "y", "--measure", "levenshtein"]
    before = len(apart.launched)
    monkeypatch.setattr(apart, "sums_from", 0.0)
    assert main(["fit", str(table), *named, "-o", str(model), "--device", "cuda"]) == 0
    assert {"strings", "standard_rows"} <= {name for name, *_ in apart.launched[before:]}
    assert main(["predict", str(model), str(table), "-o", str(out), "--device", "cuda"]) == 0
    assert len(out.read_text().splitlines()) == 121
