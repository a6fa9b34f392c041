"""Serve a saved model of strings: a small ASGI application, for uvicorn or any such server.

    pip install -r requirements.txt
    SEAMARK_MODEL=names.seamark SEAMARK_NUM_THREADS=1 uvicorn serve:app --workers 2

``POST /predict`` takes ``{"objects": ["Anna", …]}`` and returns predictions, with probabilities
where the model has them. ``GET /health`` and ``GET /version`` say that it runs, and what.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

import seamark as sm

MOST_BYTES = 1 << 20  # of a request's body
MOST_OBJECTS = 1_000  # of a request
LONGEST = 10_000  # characters of an object: the work grows with them


class Refused(Exception):
    """What is wrong with a request, and the status that says so."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class Service:
    """A model, loaded once; its predictions may be asked for by many threads at once."""

    def __init__(self, path: str) -> None:
        self.model = sm.load(path)
        self.facts = {
            "seamark": sm.__version__,
            "model": type(self.model).__name__,
            "landmarks": int(self.model.map_.n_landmarks_),
            "file": hashlib.sha256(Path(path).read_bytes()).hexdigest(),
        }
        self.model.predict([""])  # compiles the landmarks before anyone waits

    def predict(self, objects: list[str]) -> dict[str, Any]:
        """Return what the model says of some strings."""
        said: dict[str, Any] = {"predictions": self.model.predict(objects).tolist()}
        if hasattr(self.model, "predict_proba"):
            said["classes"] = self.model.classes_.tolist()
            said["probabilities"] = self.model.predict_proba(objects).tolist()
        return said


async def body_of(request: Request) -> bytes:
    """Read a body, and stop reading where it gets too long."""
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > MOST_BYTES:
            raise Refused(413, f"the body is longer than {MOST_BYTES} bytes; send fewer objects.")
    return body


def objects_in(body: bytes) -> list[str]:
    """Return the strings of a request; refuse what is none."""
    try:
        objects = json.loads(body)["objects"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise Refused(400, 'send JSON such as {"objects": ["Anna"]}.') from None
    if not isinstance(objects, list) or not 0 < len(objects) <= MOST_OBJECTS:
        raise Refused(422, f"objects must be a list of 1 to {MOST_OBJECTS} strings.")
    for i, one in enumerate(objects):
        if not isinstance(one, str) or len(one) > LONGEST:
            raise Refused(422, f"object {i} is no string of at most {LONGEST} characters.")
    return objects


async def predict(request: Request) -> JSONResponse:
    """Answer ``POST /predict``."""
    try:
        objects = objects_in(await body_of(request))
        service: Service = request.app.state.service
        return JSONResponse(await run_in_threadpool(service.predict, objects))
    except Refused as refused:
        return JSONResponse({"error": str(refused)}, refused.status)


async def health(request: Request) -> JSONResponse:
    """Answer ``GET /health``."""
    return JSONResponse({"status": "ok"})


async def version(request: Request) -> JSONResponse:
    """Answer ``GET /version``."""
    return JSONResponse(request.app.state.service.facts)


def application(path: str) -> Starlette:
    """Return the application of one saved model."""
    routes = [
        Route("/predict", predict, methods=["POST"]),
        Route("/health", health),
        Route("/version", version),
    ]
    app = Starlette(routes=routes)
    app.state.service = Service(path)
    return app


if "SEAMARK_MODEL" in os.environ:
    app = application(os.environ["SEAMARK_MODEL"])
