"""Which addresses are asked at all."""

from ipaddress import ip_address

import pytest

from goals.door.networks import Allowed

NOBODY = Allowed()
CLOSED = [
    "0.0.0.0",
    "10.1.2.3",
    "100.100.100.200",
    "127.0.0.1",
    "127.8.8.8",
    "168.63.129.16",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.192",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.1.1.1",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:169.254.169.254",
    "::127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::1",
    "100::1",
    "2001::1",
    "2001:db8::1",
    "2002:7f00:1::1",
    "3fff::1",
    "5f00::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fec0::1",
    "ff02::1",
]


@pytest.mark.parametrize("address", CLOSED)
def test_what_is_not_public_is_refused_and_said_why(address):
    assert NOBODY.refusal("somewhere.example", ip_address(address))


@pytest.mark.parametrize(
    "address", ["1.1.1.1", "172.15.0.1", "172.32.0.1", "::ffff:1.1.1.1", "64:ff9b::101:101", "2606:4700::1111"]
)
def test_what_is_public_is_asked(address):
    assert NOBODY.refusal("somewhere.example", ip_address(address)) == ""


def test_an_operator_lets_a_host_or_a_network_through_and_no_other():
    allowed = Allowed.of(["Intranet.example", "10.1.0.0/16", "::1"])
    assert allowed.refusal("intranet.example.", ip_address("127.0.0.1")) == ""
    assert allowed.refusal("other.example", ip_address("127.0.0.1"))
    assert allowed.refusal("other.example", ip_address("10.1.2.3")) == ""
    assert allowed.refusal("other.example", ip_address("::ffff:10.1.2.3")) == ""
    assert allowed.refusal("other.example", ip_address("10.2.0.1"))
    assert allowed.refusal("other.example", ip_address("::1")) == ""
    assert allowed.refusal("other.example", ip_address("::2"))


@pytest.mark.parametrize("word", ["10.0.0.1/8", "a b", "http://x", "x:80", "-x", "1.2.3", "*.example.org", ""])
def test_what_is_neither_host_nor_network_is_told(word):
    with pytest.raises(ValueError, match="^" + word.replace("*", r"\*") + "$"):
        Allowed.of([word])
