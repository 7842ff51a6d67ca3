"""The money that grows: meters, claims and Envy Bonus payouts. Knows no rules of cards."""

from django.apps import AppConfig


class ProgressivesConfig(AppConfig):
    name = "progressives"
    default_auto_field = "django.db.models.BigAutoField"
    verbose_name = "Progressives"
