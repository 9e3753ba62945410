"""The site's settings on the test session's own cluster; child processes read `goalsite.settings` itself."""

import os

from tests import session

session.prepare()
os.environ["DJANGO_SETTINGS_MODULE"] = "goalsite.settings"

from goalsite.settings import *  # noqa: E402, F403

# A test may think within its own transaction for as long as it likes; child processes keep the site's limit.
DATABASES["default"]["OPTIONS"]["options"] = "-c idle_in_transaction_session_timeout=0"  # noqa: F405
