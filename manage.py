"""Run one of Django's commands against the database that the environment names.

``./run manage`` starts the embedded servers first and then comes here; call this file directly
where ``DATABASE_URL`` and ``REDIS_URL`` name servers of your own.
"""

import os
import sys

from django.core.management import execute_from_command_line

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    execute_from_command_line(sys.argv)
