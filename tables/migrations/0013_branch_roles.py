"""Disputes and voids: who may raise, end and take back."""

from typing import Any

from django.apps.registry import Apps
from django.contrib.auth.management import create_permissions
from django.db import migrations

MORE: dict[str, list[str]] = {
    "floorperson": ["dispute"],
    "pit manager": ["dispute", "resolve", "void"],
    "surveillance": ["dispute", "resolve"],
    "accounting": ["dispute", "resolve", "void"],
}


def give_more(apps: Apps, schema_editor: Any) -> None:
    """Add these permissions to the groups that the house has."""
    from django.apps import apps as real

    create_permissions(real.get_app_config("progressives"), apps=real, verbosity=0)
    permission_of = apps.get_model("auth", "Permission").objects
    for name, verbs in MORE.items():
        group = apps.get_model("auth", "Group").objects.get(name=name)
        for verb in verbs:
            codename = f"{verb}_jackpotclaim"
            found = permission_of.get(content_type__app_label="progressives", codename=codename)
            group.permissions.add(found)


class Migration(migrations.Migration):
    dependencies = [
        ("tables", "0012_control_roles"),
        ("progressives", "0016_disputes"),
    ]

    operations = [migrations.RunPython(give_more, migrations.RunPython.noop)]
