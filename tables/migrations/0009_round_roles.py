"""Who reads what became of Envy Bonuses and when rounds closed."""

from typing import Any

from django.apps.registry import Apps
from django.contrib.auth.management import create_permissions
from django.db import migrations

READ = ["envypayment", "roundclosing"]
READERS = ["floorperson", "pit manager", "surveillance", "accounting", "auditor", "administrator"]


def give_more(apps: Apps, schema_editor: Any) -> None:
    """Add these permissions to the groups that the house has."""
    from django.apps import apps as real

    create_permissions(real.get_app_config("progressives"), apps=real, verbosity=0)
    permission_of = apps.get_model("auth", "Permission").objects
    for name in READERS:
        group = apps.get_model("auth", "Group").objects.get(name=name)
        for model in READ:
            found = permission_of.get(
                content_type__app_label="progressives", codename=f"view_{model}"
            )
            group.permissions.add(found)


class Migration(migrations.Migration):
    dependencies = [
        ("tables", "0008_slip_roles"),
        ("progressives", "0013_rounds"),
    ]

    operations = [migrations.RunPython(give_more, migrations.RunPython.noop)]
