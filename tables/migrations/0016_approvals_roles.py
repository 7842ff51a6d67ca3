"""Who watches the approvers: nobody who approves."""

from typing import Any

from django.apps.registry import Apps
from django.contrib.auth.management import create_permissions
from django.db import migrations

WATCHING = ("surveillance", "auditor", "accounting")


def give(apps: Apps, schema_editor: Any) -> None:
    """Add the permission to the groups."""
    from django.apps import apps as real

    create_permissions(real.get_app_config("tables"), apps=real, verbosity=0)
    found = apps.get_model("auth", "Permission").objects.get(
        content_type__app_label="tables", codename="view_approvals"
    )
    for name in WATCHING:
        apps.get_model("auth", "Group").objects.get(name=name).permissions.add(found)


class Migration(migrations.Migration):
    dependencies = [("tables", "0015_paper_guards")]

    operations = [
        migrations.AlterModelOptions(
            name="round",
            options={
                "permissions": [
                    ("search_round", "Can search all rounds"),
                    ("view_approvals", "Can see who approves payouts, and how"),
                ]
            },
        ),
        migrations.RunPython(give, migrations.RunPython.noop),
    ]
