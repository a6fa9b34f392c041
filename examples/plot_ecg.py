"""
An electrocardiogram: which beats are odd?
==========================================

Five minutes of a heart whose rhythm is disturbed now and then (record 208 of the MIT-BIH Arrhythmia
Database). Nothing says which beats are which. A beat that is far from its nearest neighbours is
rare; groups of beats show what kinds there are.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from scipy.signal import find_peaks
from sklearn.cluster import KMeans

import seamark as sm

folder = next(path for path in (Path("data"), Path("examples/data")) if path.is_dir())
with np.load(folder / "ecg.npz") as file:
    signal = (file["adc"] - 1024) / 200  # millivolts, 120 a second
level = np.convolve(signal, np.ones(120) / 120, "same")
peaks, _ = find_peaks(signal - level, height=0.4, distance=36)
peaks = peaks[(peaks > 60) & (peaks < len(signal) - 60)]
beats = [signal[peak - 30 : peak + 48] - signal[peak - 30 : peak + 48].mean() for peak in peaks]
print(len(beats), "beats of", len(beats[0]), "values")

# %%
# Far from its neighbours under time warping with a narrow band: an odd beat, or a disturbed one.
index = sm.Index(sm.measures.DTW(window=0.1)).fit(beats)
far = index.query(beats, k=6).values[:, 1:].mean(axis=1)
odd = np.argsort(-far)[:12]
fig, ax = plt.subplots(figsize=(9, 2.8), layout="constrained")
seconds = np.arange(len(signal)) / 120
ax.plot(seconds, signal, color="0.6", lw=0.5)
ax.plot(peaks[odd] / 120, signal[peaks[odd]], "v", color="#c8553d", label="the 12 oddest beats")
ax.set(xlabel="seconds", ylabel="mV", xlim=(0, seconds[-1]))
ax.legend(loc="lower right")

# %%
# Groups of beats. One is the normal beat; wide ones without a sharp spike come from the ventricles.
bearings = sm.LandmarkMap(
    sm.measures.DTW(window=0.1), n_landmarks=200, transfer="whitening", random_state=0
)
groups = KMeans(4, n_init=10, random_state=0).fit_predict(bearings.fit_transform(beats))
order = np.argsort(-np.bincount(groups))
rows, axes = plt.subplots(1, 4, figsize=(9, 2.6), layout="constrained", sharey=True)
for panel, group in zip(axes, order, strict=True):
    some = np.array(beats)[groups == group]
    panel.plot(np.arange(78) / 120, some.T, color="#0b5d7a", lw=0.3, alpha=0.3)
    panel.plot(np.arange(78) / 120, np.median(some, axis=0), color="#c8553d", lw=2)
    panel.set(title=f"{len(some)} beats", xlabel="seconds")
axes[0].set_ylabel("mV")
print("beats of each group:", np.bincount(groups)[order].tolist())
