"""The web server's entry point."""

# First of all: granian's worker must die with granian. Otherwise, after kill -9 of the main
# process, the worker keeps the port and answers with dead connections.
from config.embedded.launcher import die_with_parent

die_with_parent()

import os  # noqa: E402

from django.core.wsgi import get_wsgi_application  # noqa: E402

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

application = get_wsgi_application()
