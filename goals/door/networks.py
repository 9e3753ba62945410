"""Which IP addresses are asked: public ones, and what the operator allows besides. Pure.

Sources: the IANA registries of special-purpose IPv4 and IPv6 addresses. Of IPv6 only what is handed out to the public
(2000::/3) is asked; an IPv4 address inside an IPv6 one (mapped, NAT64) is judged as what it is.
"""

import ipaddress
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

SPECIAL_4 = {
    "0.0.0.0/8": "unspecified",
    "10.0.0.0/8": "private",
    "100.64.0.0/10": "a provider's own",
    "127.0.0.0/8": "loopback",
    "168.63.129.16/32": "a cloud's metadata",
    "169.254.0.0/16": "link-local or a cloud's metadata",
    "172.16.0.0/12": "private",
    "192.0.0.0/24": "reserved",
    "192.0.2.0/24": "documentation",
    "192.88.99.0/24": "a relay",
    "192.168.0.0/16": "private",
    "198.18.0.0/15": "a benchmark's",
    "198.51.100.0/24": "documentation",
    "203.0.113.0/24": "documentation",
    "224.0.0.0/4": "multicast",
    "240.0.0.0/4": "reserved or broadcast",
}
SPECIAL_6 = {
    "::/128": "unspecified",
    "::1/128": "loopback",
    "2001::/23": "reserved or a tunnel",
    "2001:db8::/32": "documentation",
    "2002::/16": "a tunnel",
    "3fff::/20": "documentation",
    "fc00::/7": "private",
    "fe80::/10": "link-local",
    "ff00::/8": "multicast",
}
NETWORKS = [(ipaddress.ip_network(text), said) for text, said in {**SPECIAL_4, **SPECIAL_6}.items()]
INSIDE = frozenset({"private", "loopback"})
PUBLIC_6 = ipaddress.IPv6Network("2000::/3")
NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
HOST = re.compile(r"(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?)*")


@dataclass(frozen=True, slots=True)
class Allowed:
    """What the operator lets through besides: names of hosts, whatever they lead to, and networks.

    `inside` is a host that may have private and loopback addresses, and no other special ones.
    """

    hosts: frozenset[str] = frozenset()
    networks: tuple[Network, ...] = ()
    inside: str = ""

    @classmethod
    def of(cls, words: Iterable[str]) -> "Allowed":
        """Read hosts, addresses and networks; raises ValueError with the word that is none."""
        hosts, networks = set(), []
        for word in words:
            if (network := _network(word)) is not None:
                networks.append(network)
            elif HOST.fullmatch(name := word.lower().rstrip(".")) and not name.rsplit(".", 1)[-1].isdigit():
                hosts.add(name)
            else:
                raise ValueError(word)
        return cls(frozenset(hosts), tuple(networks))

    def refusal(self, host: str, address: Address) -> str:
        """Return why a host at this address is not asked, blank when it is."""
        if host.lower().rstrip(".") in self.hosts:
            return ""
        plain = inner(address)
        if any(one in network for network in self.networks for one in (plain, address)):
            return ""
        kind = _kind(plain)
        return "" if self.inside and host.lower() == self.inside and kind in INSIDE else kind

    def with_private(self, host: str) -> "Allowed":
        """Return the same, with one more host that may be inside."""
        return replace(self, inside=host.lower())


def inner(address: Address) -> Address:
    """Return the IPv4 address that an IPv6 one stands for, else the address itself."""
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return address.ipv4_mapped
        if address in NAT64:
            return ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
    return address


def _kind(address: Address) -> str:
    for network, said in NETWORKS:
        if address in network:
            return said
    return "not public" if address.version == 6 and address not in PUBLIC_6 else ""


def _network(word: str) -> Network | None:
    try:
        return ipaddress.ip_network(word)
    except ValueError:
        return None
