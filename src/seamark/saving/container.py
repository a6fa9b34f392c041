"""The container: a zip file with `model.json` and arrays, nothing compressed."""

from __future__ import annotations

import io
import zipfile
from typing import Any

from ..atomic_files import atomic_file
from ..engine import settings
from .documents import DOCUMENT, read_document, write_document
from .errors import ModelFileError

FORMAT = "seamark model"
VERSION = 1
"""Of the format; a file of a later one is refused, those of all earlier ones are read."""
KEYS = {"format", "version", "library", "model", "about"}
DIRECTORY_ENTRY = b"PK\x01\x02"
MEMBER = "arrays/{}.npy"


def pack(
    path: Any, document: dict[str, Any], arrays: list[bytes], *, overwrite: bool = False
) -> None:
    """Write a container; the same content gives the same bytes."""
    text = write_document(document)
    with (
        atomic_file(path, overwrite=overwrite) as file,
        zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive,
    ):
        for name, data in [
            (DOCUMENT, text),
            *((MEMBER.format(i), a) for i, a in enumerate(arrays)),
        ]:
            # A ZipInfo of its own has a fixed date.
            archive.writestr(zipfile.ZipInfo(name), data)


def unpack(data: bytes) -> tuple[dict[str, Any], list[bytes]]:
    """Return the document and the arrays of a container."""
    if data.count(DIRECTORY_ENTRY) > (most := settings().file_members):
        raise ModelFileError(f"it has more than {most} members.")
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        _require_honest(archive, len(data))
        document = read_document(archive.read(DOCUMENT))
        arrays = [archive.read(MEMBER.format(i)) for i in range(len(archive.infolist()) - 1)]
    _require_known(document)
    return document, arrays


def _require_honest(archive: zipfile.ZipFile, size: int) -> None:
    """Stop at members that are compressed, overlap, or have other names than ours.

    Nothing is ever extracted, so names lead nowhere; and stored members that do not overlap
    cannot hold more bytes than the file has, so there is nothing to blow up.
    """
    members = archive.infolist()
    expected = {DOCUMENT, *(MEMBER.format(i) for i in range(len(members) - 1))}
    if {member.filename for member in members} != expected:
        raise ModelFileError("it holds other members than a saved model has.")
    if any(member.compress_type != zipfile.ZIP_STORED for member in members):
        raise ModelFileError("its members are compressed, which those of a saved model never are.")
    if sum(member.file_size for member in members) > size:
        raise ModelFileError("its members claim more bytes than the file has.")


def _require_known(document: Any) -> None:
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ModelFileError("it does not say that it is a saved model.")
    version, library = document.get("version"), document.get("library")
    if type(version) is not int or version < 1:
        raise ModelFileError("it does not name the version of its format.")
    if version > VERSION:
        raise ModelFileError(
            f"it has format {version}, written by seamark {library}, and this one reads formats up "
            f"to {VERSION}; upgrade seamark."
        )
    if set(document) != KEYS:
        odd = sorted(set(document) ^ KEYS)[0]
        raise ModelFileError(f"its {DOCUMENT} has, or lacks, the key {odd!r}.")
