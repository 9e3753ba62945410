"""The door for clients that speak for a while: judged like the other, and let inside only where somebody said so."""

import asyncio
import ipaddress

import httpx2
import pytest

from goals.door.client import JudgedTransport
from goals.door.errors import Refused, TooMuch, Unreachable
from goals.door.networks import Allowed


def asked(address: str, *, most: int = 1000, private: bool = False, times: int = 1) -> httpx2.Response:
    async def ask() -> httpx2.Response:
        transport = JudgedTransport(address, seconds=5, most=most, private=private)
        async with httpx2.AsyncClient(transport=transport, trust_env=False) as client:
            for _ in range(times):
                reply = await client.get(address, headers={"Connection": "close"})
            return reply

    return asyncio.run(ask())


def test_a_loopback_address_is_asked_where_that_was_said(far):
    with pytest.raises(Refused, match="is loopback"):
        asked(far.url)
    assert far.came == []
    assert asked(far.url, private=True).content == b"ok"
    assert far.came[0][2]["Accept-Encoding"] == "identity"


@pytest.mark.parametrize("address", ["169.254.169.254", "168.63.129.16", "0.0.0.0", "192.0.2.1", "100.64.0.1"])
def test_who_is_let_inside_is_let_to_private_and_loopback_addresses_alone(address):
    with pytest.raises(Refused):
        asked(f"http://{address}/", private=True)


def test_the_one_host_is_let_inside_and_no_other():
    lets = Allowed().with_private("Inner.example")
    inside, metadata = map(ipaddress.ip_address, ("10.0.0.1", "169.254.169.254"))
    assert lets.refusal("inner.example", inside) == ""
    assert lets.refusal("inner.example", metadata)
    assert lets.refusal("other.example", inside) == "private"


def test_a_name_is_judged_each_time_that_it_is_dialled(far, names, allow):
    names["far.test"] = [["127.0.0.1"], ["10.0.0.1"]]
    allow("127.0.0.1")
    address = f"http://far.test:{far.server_port}/"
    assert asked(address).content == b"ok"
    with pytest.raises(Refused, match=r"10\.0\.0\.1 is private"):
        asked(address, times=2)


def test_all_answers_together_are_bounded(far):
    far.answers["/"] = (200, {}, b"x" * 400)
    assert len(asked(f"{far.url}/", private=True, times=2).content) == 400
    with pytest.raises(TooMuch, match="more than 1,000 bytes"):
        asked(f"{far.url}/", private=True, times=3)


def test_who_is_not_there_is_unreachable():
    with pytest.raises(Unreachable):
        asked("http://127.0.0.1:9/", private=True)
