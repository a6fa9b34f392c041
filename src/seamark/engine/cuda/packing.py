"""Landmark strings packed into long words, with a guard bit after each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .device import Ints


@dataclass(frozen=True)
class Packing:
    """Where landmarks lie: in which word, and at which bit of it."""

    landmarks: Ints
    words: Ints
    bits: Ints
    n_words: int


def best_fit(landmarks: Ints, lengths: Ints, size: int) -> Packing:
    """Put each landmark, the longest first, into the word where it leaves the least room.

    Parameters
    ----------
    landmarks : ndarray of int
        Numbers of the landmarks.
    lengths : ndarray of int
        Of these landmarks, none above `size`.
    size : int
        Bits of a word.

    Examples
    --------
    >>> packing = best_fit(np.arange(3), np.array([20, 40, 11]), 32 * 2)
    >>> packing.words.tolist(), packing.bits.tolist(), packing.n_words
    ([0, 0, 1], [0, 41, 0], 2)
    """
    order = np.argsort(-lengths, kind="stable")
    by_room: list[list[int]] = [[] for _ in range(size + 1)]
    words, bits, n_words = np.zeros(len(order), np.int64), np.zeros(len(order), np.int64), 0
    for place, length in enumerate(lengths[order].tolist()):
        room = next((r for r in range(length, size + 1) if by_room[r]), None)
        if room is None:
            room = size
            by_room[room].append(n_words)
            n_words += 1
        word = by_room[room].pop()
        # The guard; where a landmark ends with the word there is none, and none is needed.
        by_room[max(0, room - length - 1)].append(word)
        words[place], bits[place] = word, size - room
    return Packing(landmarks[order], words, bits, n_words)


def consecutive(landmarks: Ints, lengths: Ints, size: int, n_words: int) -> list[Packing]:
    """Pack runs of consecutive landmarks, each into so many words at most.

    So the values of a block of threads lie next to each other, and leave it in one piece.
    """
    packings = []
    start, bits = 0, np.concatenate([[0], np.cumsum(lengths + 1)])
    while start < len(landmarks):
        room = bits[start] + n_words * size
        end = max(start + 1, int(np.searchsorted(bits, room, side="right")) - 1)
        while True:
            packing = best_fit(landmarks[start:end], lengths[start:end], size)
            if packing.n_words <= n_words:
                break
            end -= max(1, (packing.n_words - n_words) * (end - start) // (2 * packing.n_words))
        packings.append(packing)
        start = end
    return packings
