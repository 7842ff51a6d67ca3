"""The house itself as a Django app: it has no models, only checks and the Celery app."""

from django.apps import AppConfig


class HouseConfig(AppConfig):
    """Load the Celery app wherever Django runs, so that ``delay`` finds our broker."""

    name = "config"

    def ready(self) -> None:
        from config import celery, checks  # noqa: F401, PLC0415
