"""Embeddings by an endpoint, held against a server on loopback."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from sops import embedding, importer, indexing, retrieval
from sops.exceptions import EmbedderUnavailable
from sops.models import Perspective
from tests.sops.conftest import LIBRARY


@pytest.fixture
def endpoint(settings):
    """A server that speaks the embeddings protocol; `reply` may be replaced by a test."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            server.asked.append(asked)
            status, body = server.reply(asked)
            data = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.asked, server.reply = [], honest
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    settings.GOALSITE_REHEARSAL = False
    settings.OPENAI_BASE_URL = f"http://127.0.0.1:{server.server_port}/v1"
    settings.OPENAI_API_KEY = "key"
    settings.GOALSITE_EMBEDDING_MODEL = "tiny-embedding"
    embedding.client.cache_clear()
    yield server
    embedding.client().close()
    embedding.client.cache_clear()
    server.shutdown()
    server.server_close()
    thread.join()


def honest(asked):
    """Vectors in reverse order with their index, as the protocol allows."""
    data = [
        {"object": "embedding", "index": i, "embedding": [float(len(text)), *([0.5] * 511)]}
        for i, text in enumerate(asked["input"])
    ]
    usage = {"prompt_tokens": 1, "total_tokens": 1}
    return 200, {"object": "list", "model": asked["model"], "data": data[::-1], "usage": usage}


def test_vectors_come_in_the_order_of_the_texts(endpoint):
    vectors = embedding.current_embedder().embed(["a", "abc"])
    assert [vector[0] for vector in vectors] == [1.0, 3.0]
    assert endpoint.asked[0]["dimensions"] == 512
    assert endpoint.asked[0]["model"] == "tiny-embedding"


def test_many_texts_go_in_batches(endpoint):
    assert len(embedding.current_embedder().embed(["x"] * 130)) == 130
    assert [len(asked["input"]) for asked in endpoint.asked] == [64, 64, 2]


def wrong_size(asked):
    status, body = honest(asked)
    for entry in body["data"]:
        entry["embedding"] = [1.0, 2.0]
    return status, body


def too_few(asked):
    status, body = honest(asked)
    return status, body | {"data": body["data"][1:]}


def refused(asked):
    return 400, {"error": {"message": "no such model", "type": "invalid_request_error"}}


@pytest.mark.parametrize("reply", [wrong_size, too_few, refused])
def test_an_endpoint_that_cannot_be_used_is_an_error_that_names_the_model(endpoint, reply):
    endpoint.reply = reply
    with pytest.raises(EmbedderUnavailable, match="tiny-embedding"):
        embedding.current_embedder().embed(["a", "b"])


@pytest.mark.django_db
def test_the_search_goes_on_by_words_when_the_endpoint_is_down(endpoint, caplog):
    importer.load([LIBRARY])
    assert set(Perspective.objects.values_list("embedder", flat=True)) == {"tiny-embedding"}
    endpoint.reply = refused
    found = retrieval.search("group the errors in the logs")
    assert found[0].version.sop.slug == "log-triage"
    assert found[0].vector_rank is None
    assert "searched by words alone" in caplog.text


@pytest.mark.django_db
def test_only_vectors_of_one_embedder_are_compared_and_the_index_can_be_made_anew(endpoint, settings):
    importer.load([LIBRARY])
    settings.GOALSITE_EMBEDDING_MODEL = ""
    assert {found.vector_rank for found in retrieval.search("group the errors in the logs")} == {None}
    assert indexing.index() == 13
    assert retrieval.search("group the errors in the logs")[0].vector_rank == 1


def test_without_a_model_nothing_leaves_the_machine(settings):
    settings.GOALSITE_EMBEDDING_MODEL = ""
    assert isinstance(embedding.current_embedder(), embedding.HashingEmbedder)
