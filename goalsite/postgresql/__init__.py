"""Django's Postgres backend with a pool that trusts what was used a moment ago: `ENGINE = "goalsite.postgresql"`."""
