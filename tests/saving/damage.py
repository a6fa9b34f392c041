"""Damage done to bytes, as hypothesis draws it."""

from hypothesis import strategies as st

PLACES = st.floats(0, 1, exclude_max=True)
DAMAGE = st.lists(
    st.tuples(PLACES, st.sampled_from(["set", "insert", "cut", "end"]), st.binary(min_size=1)),
    min_size=1,
    max_size=4,
)


def damaged(data, damage):
    for share, kind, new in damage:
        place = int(share * len(data))
        after = {"set": place + len(new), "insert": place, "cut": place + 1, "end": len(data)}[kind]
        data = data[:place] + (new if kind in ("set", "insert") else b"") + data[after:]
    return data
