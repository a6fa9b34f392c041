"""Run pytest on the sanitised build of the native module (see `make sanitize`).

An editable install finds the ordinary build first, whatever PYTHONPATH says; so its finder is
taken out before anything is imported.
"""

import sys


def main():
    sys.meta_path = [f for f in sys.meta_path if "editable" not in type(f).__module__]

    import pytest

    from seamark.engine import _native

    if "sanitized" not in _native.__file__:
        sys.exit(f"not the sanitised build: {_native.__file__}")
    sys.exit(pytest.main(sys.argv[1:]))


if __name__ == "__main__":
    main()
