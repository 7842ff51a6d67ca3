"""Who may search all rounds: who investigates, who answers for the money, who runs the games."""

from typing import Any

from django.apps.registry import Apps
from django.contrib.auth.management import create_permissions
from django.db import migrations

SEARCHING = ("surveillance", "auditor", "accounting", "pit manager", "administrator")


def give(apps: Apps, schema_editor: Any) -> None:
    """Add the permission to the groups."""
    from django.apps import apps as real

    create_permissions(real.get_app_config("tables"), apps=real, verbosity=0)
    found = apps.get_model("auth", "Permission").objects.get(
        content_type__app_label="tables", codename="search_round"
    )
    for name in SEARCHING:
        apps.get_model("auth", "Group").objects.get(name=name).permissions.add(found)


class Migration(migrations.Migration):
    dependencies = [("tables", "0010_filed_rounds"), ("audit", "0007_exception_round")]

    operations = [migrations.RunPython(give, migrations.RunPython.noop)]
