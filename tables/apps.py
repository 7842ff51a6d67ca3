"""The floor: what happened at a table, and what the rules say of it."""

from django.apps import AppConfig


class TablesConfig(AppConfig):
    name = "tables"
    default_auto_field = "django.db.models.BigAutoField"
    verbose_name = "Tables"

    def ready(self) -> None:
        """Tell the control of progressives what a chapter fixes: it knows no games itself."""
        from progressives.services.control_terms import CHECKS  # noqa: PLC0415  # models first
        from tables.services.control_law import must_be_lawful  # noqa: PLC0415

        if must_be_lawful not in CHECKS:
            CHECKS.append(must_be_lawful)
