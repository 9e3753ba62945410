"""The site's settings on the test session's own cluster; child processes read `goalsite.settings` itself."""

import os

from tests import session

session.start()
os.environ["DJANGO_SETTINGS_MODULE"] = "goalsite.settings"

from goalsite.settings import *  # noqa: E402, F403
