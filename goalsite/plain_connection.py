"""psycopg connections beside Django's own, for LISTEN: a pooled connection cannot listen."""

from typing import Any

from django.db import connections

PARAMETERS = {"NAME": "dbname", "USER": "user", "PASSWORD": "password", "HOST": "host", "PORT": "port"}
DJANGO_OPTIONS = {"pool", "isolation_level", "server_side_binding", "assume_role", "prepare_threshold"}
PATIENCE = {"connect_timeout": 10, "keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3}


def parameters(using: str = "default") -> dict[str, Any]:
    """The arguments of `psycopg.connect` for Django's database."""
    found = connections[using].settings_dict
    options = {name: value for name, value in found["OPTIONS"].items() if name not in DJANGO_OPTIONS}
    return {**PATIENCE, **options, **{key: found[name] for name, key in PARAMETERS.items() if found[name]}}
