"""The page's own files: under names with the hash of their content, so that browsers keep them, and gzipped.

`up` collects them. Where nobody has (a test, a server started by hand) they are served as they lie there.
"""

import shutil
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.contrib.staticfiles.storage import staticfiles_storage
from django.http import HttpRequest, HttpResponse
from whitenoise.middleware import WhiteNoiseMiddleware
from whitenoise.storage import CompressedManifestStaticFilesStorage

OURS = "goals/"


class HashedFiles(CompressedManifestStaticFilesStorage):
    """Knows the collected files by their hashed names, also where one module imports another; others as they are."""

    support_js_module_import_aggregation = True

    def stored_name(self, name: str) -> str:
        return super().stored_name(name) if self.hash_key(self.clean_name(name)) in self.hashed_files else name


class WholeFiles(WhiteNoiseMiddleware):
    """Answers with a whole file: of a synchronous stream the ASGI handler would make one as well, with a warning."""

    @staticmethod
    def serve(static_file: Any, request: HttpRequest) -> HttpResponse:
        found = static_file.get_response(request.method, request.META)
        content = b""
        if found.file is not None:
            with found.file:
                content = found.file.read()
        response = HttpResponse(content, status=int(found.status))
        del response["Content-Type"]
        for name, value in found.headers:
            response[name] = value
        return response


def collect(storage: Any = None) -> None:
    """Bring the collected files up to date; a fraction of a second, since only our own are."""
    storage = staticfiles_storage if storage is None else storage
    shutil.rmtree(Path(settings.STATIC_ROOT) / OURS, ignore_errors=True)
    found = {}
    for finder in get_finders():
        for path, source in finder.list([]):
            if path.startswith(OURS) and path not in found:
                found[path] = (source, path)
                with source.open(path) as file:
                    storage.save(path, file)
    for name, _, outcome in storage.post_process(found):
        if isinstance(outcome, Exception):
            raise RuntimeError(f"{name} cannot be collected: {outcome}") from outcome
