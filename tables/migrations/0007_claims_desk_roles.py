"""What each role may do at the claims desk: answer, approve, set the terms, take devices away."""

from typing import Any

from django.apps.registry import Apps
from django.contrib.auth.management import create_permissions
from django.db import migrations

READERS = ("surveillance", "accounting", "auditor", "administrator")
MORE: dict[str, list[str]] = {
    "floorperson": ["progressives.approve_jackpotclaim"],
    "pit manager": ["progressives.approve_jackpotclaim"],
    "surveillance": ["progressives.answer_jackpotclaim"],
    "accounting": [],
    "auditor": [],
    "administrator": [
        "progressives.add_claimterms",
        "audit.view_codedevice",
        "audit.delete_codedevice",
    ],
}


def give_more(apps: Apps, schema_editor: Any) -> None:
    """Add these permissions to the groups that the house has."""
    from django.apps import apps as real

    for app in ("audit", "progressives"):
        create_permissions(real.get_app_config(app), apps=real, verbosity=0)
    permission_of = apps.get_model("auth", "Permission").objects
    for name, wanted in MORE.items():
        group = apps.get_model("auth", "Group").objects.get(name=name)
        read = ["progressives.view_claimterms"] if name in READERS else []
        for permission in [*wanted, *read]:
            app, codename = permission.split(".")
            found = permission_of.get(content_type__app_label=app, codename=codename)
            group.permissions.add(found)


class Migration(migrations.Migration):
    dependencies = [
        ("tables", "0006_desk_roles"),
        ("progressives", "0008_tiers"),
        ("audit", "0004_code_device"),
    ]

    operations = [migrations.RunPython(give_more, migrations.RunPython.noop)]
