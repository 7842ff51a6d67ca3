"""Slips: who issues them, and who reads them."""

from typing import Any

from django.apps.registry import Apps
from django.contrib.auth.management import create_permissions
from django.db import migrations

READ = ["payoutslip", "slipvoid", "slipprint"]
MORE: dict[str, list[str]] = {
    "floorperson": ["progressives.document_jackpotclaim", "progressives.view_payoutslip"],
    "pit manager": ["progressives.document_jackpotclaim", "progressives.view_payoutslip"],
    **{
        role: [f"progressives.view_{model}" for model in READ]
        for role in ("surveillance", "accounting", "auditor", "administrator")
    },
}


def give_more(apps: Apps, schema_editor: Any) -> None:
    """Add these permissions to the groups that the house has."""
    from django.apps import apps as real

    create_permissions(real.get_app_config("progressives"), apps=real, verbosity=0)
    permission_of = apps.get_model("auth", "Permission").objects
    for name, wanted in MORE.items():
        group = apps.get_model("auth", "Group").objects.get(name=name)
        for permission in wanted:
            app, codename = permission.split(".")
            found = permission_of.get(content_type__app_label=app, codename=codename)
            group.permissions.add(found)


class Migration(migrations.Migration):
    dependencies = [
        ("tables", "0007_claims_desk_roles"),
        ("progressives", "0010_slips"),
    ]

    operations = [migrations.RunPython(give_more, migrations.RunPython.noop)]
