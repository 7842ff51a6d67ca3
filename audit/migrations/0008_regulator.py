"""The regulator's role. What it may see is no list that grows old: see ``User.has_perm``."""

from typing import Any

from django.apps.registry import Apps
from django.db import migrations

REGULATOR = "regulator"


def make(apps: Apps, schema_editor: Any) -> None:
    """Make the group."""
    apps.get_model("auth", "Group").objects.get_or_create(name=REGULATOR)


class Migration(migrations.Migration):
    dependencies = [
        ("audit", "0007_exception_round"),
        ("auth", "0012_alter_user_first_name_max_length"),
    ]

    operations = [migrations.RunPython(make, migrations.RunPython.noop)]
