"""Django's admin app with the house's own site. A module of its own: it loads before the models."""

from django.contrib.admin.apps import AdminConfig


class HouseAdminConfig(AdminConfig):
    """Put ``HouseSite`` where ``admin.site`` is expected."""

    default_site = "config.site.HouseSite"
