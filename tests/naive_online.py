"""Online learning, as slowly and obviously as possible."""

import numpy as np


def olp_auc(X, y, buffer, step, radius, penalty=0.0):
    """OLP with the AUC hinge, one pair after the other; the mean of w_1 … w_{n−1}.

    With a penalty steps are step/t, and step/√t else.
    """
    w, used = np.zeros(X.shape[1]), []
    for t, (x, label) in enumerate(zip(X, y, strict=True), start=1):
        if len(buffer):
            used.append(w.copy())
            gradient = np.zeros_like(w)
            for x2, label2 in buffer:
                half = (label - label2) / 2
                if half and 1 - half * (w @ (x - x2)) > 0:
                    gradient -= half * (x - x2)
            gradient = gradient / len(buffer) + penalty * w
            w = w - step / (t if penalty else np.sqrt(t)) * gradient
            w = w * min(1, radius / max(np.linalg.norm(w), 1e-300))
        buffer.update((x, label))
    return np.mean(used, axis=0)


def oam_gra(X, y, reservoirs, penalty):
    """Zhao and others' OAM with gradient updating, from two reservoirs by label."""
    w = np.zeros(X.shape[1])
    seen = {1: 0, -1: 0}
    for x, label in zip(X, y, strict=True):
        seen[label] += 1
        reservoirs[label].update(x)
        others = list(reservoirs[-label])
        if others:
            weight = penalty * max(1, seen[-label] / len(others))
            pushes = [x - x2 for x2 in others if label * (w @ (x - x2)) <= 1]
            for push in pushes:
                w = w + weight / 2 * label * push
    return w


def metric_hinge(W, x, label, X, labels):
    """M for pairs of one class, [2 − M]₊ for others; mean over the buffer."""
    values = []
    for x2, label2 in zip(X, labels, strict=True):
        M = (x - x2) @ W @ (x - x2)
        values.append(max(0, M) if label == label2 else max(0, 2 - M))
    return np.mean(values)


def alike(y, y2, scale):
    """1 for equal numbers, 0 at one scale, −1 from two scales on."""
    return max(1 - abs(y - y2) / scale, -1)


def weighted_hinge(margin, y, others, scale):
    """Mean over the buffer of |s| [1 − sign(s) margin]₊; margin is a function of a place in it."""
    values = []
    for k, y2 in enumerate(others):
        s = alike(y, y2, scale)
        values.append(abs(s) * max(0, 1 - (1 if s > 0 else -1) * margin(k)))
    return np.mean(values)
