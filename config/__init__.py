"""Settings, routes, the Celery app, the embedded servers and the ``./run`` front door."""
