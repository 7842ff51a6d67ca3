"""The groups of the house and what each may do.

Each line of the table is one role; a permission is written app.codename.
"""

from typing import Any

from django.apps.registry import Apps
from django.contrib.auth.management import create_permissions
from django.db import migrations

RECORDS = {
    "audit": ["auditevent", "exceptionrecord", "chain"],
    "progressives": [
        "lane",
        "progressive",
        "meter",
        "meterentry",
        "jackpotclaim",
        "claimstep",
        "envypayout",
    ],
    "tables": [
        "facility",
        "rulessubmission",
        "gamingtable",
        "tableevent",
        "appliedevent",
        "round",
        "roundposition",
    ],
}
READ_EVERYTHING = [f"{app}.view_{model}" for app, models in RECORDS.items() for model in models]
READ_THE_FLOOR = [
    "progressives.view_progressive",
    "progressives.view_meter",
    "progressives.view_jackpotclaim",
    "progressives.view_claimstep",
    "progressives.view_envypayout",
    "tables.view_gamingtable",
    "tables.view_round",
    "audit.view_exceptionrecord",
]
VALIDATE = ["progressives.validate_jackpotclaim", "progressives.refuse_jackpotclaim"]
PAY = ["progressives.pay_jackpotclaim"]

ROLES: dict[str, list[str]] = {
    "table controller": [],  # reports by its key, reads nothing
    "dealer": ["tables.view_gamingtable"],
    "floorperson": [*READ_THE_FLOOR, *VALIDATE, *PAY],
    "pit manager": [
        *READ_THE_FLOOR,
        *VALIDATE,
        *PAY,
        "tables.close_gap",
        "audit.close_exceptionrecord",
    ],
    "surveillance": [*READ_EVERYTHING, "audit.close_exceptionrecord"],
    "accounting": [
        *READ_EVERYTHING,
        *PAY,
        "progressives.return_jackpotclaim",
        "audit.close_exceptionrecord",
    ],
    "auditor": READ_EVERYTHING,
    "administrator": [
        *READ_EVERYTHING,
        "audit.add_user",
        "audit.change_user",
        "audit.view_user",
        "auth.view_group",
        "tables.add_accesskey",
        "tables.change_accesskey",
        "tables.view_accesskey",
        "tables.change_facility",
    ],
}


def make_roles(apps: Apps, schema_editor: Any) -> None:
    """Make each group with exactly these permissions."""
    from django.apps import apps as real

    for label in ("auth", "contenttypes", "audit", "progressives", "tables"):
        config = real.get_app_config(label)
        create_permissions(config, apps=real, verbosity=0)  # else made only after all migrations
    group_of = apps.get_model("auth", "Group").objects
    permission_of = apps.get_model("auth", "Permission").objects
    for name, wanted in ROLES.items():
        group, _ = group_of.get_or_create(name=name)
        pairs = (permission.split(".") for permission in wanted)
        group.permissions.set(
            [
                permission_of.get(content_type__app_label=app, codename=codename)
                for app, codename in pairs
            ]
        )


def drop_roles(apps: Apps, schema_editor: Any) -> None:
    """Take the groups away again."""
    apps.get_model("auth", "Group").objects.filter(name__in=ROLES).delete()


class Migration(migrations.Migration):
    dependencies = [
        ("tables", "0002_append_only"),
        ("progressives", "0002_guards"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]

    operations = [migrations.RunPython(make_roles, drop_roles)]
