"""What each role may do at the desks: submissions, exceptions, equipment.

Who proposes runs the games; who approves answers for the money. No role has both.
"""

from typing import Any

from django.apps.registry import Apps
from django.contrib.auth.management import create_permissions
from django.db import migrations

READ = [
    "tables.view_rulessubmission",
    "tables.view_submissionapproval",
    "tables.view_equipment",
    "audit.view_exceptionnote",
]
NOTE = ["audit.note_exceptionrecord"]
TRENDS = ["tables.view_error_trends"]
REGISTER = ["tables.add_equipment", "tables.change_equipment", "tables.change_gamingtable"]

ROLES: dict[str, list[str]] = {
    "floorperson": [*READ, *NOTE],
    "pit manager": [*READ, *NOTE, *TRENDS, "tables.propose_rulessubmission"],
    "surveillance": [*READ, *NOTE, *TRENDS],
    "accounting": [*READ, *NOTE, *TRENDS, "tables.approve_rulessubmission"],
    "auditor": [*READ, *TRENDS],
    "administrator": [*READ, *REGISTER, "tables.propose_rulessubmission"],
}


def give(apps: Apps, schema_editor: Any) -> None:
    """Add the permissions to each group."""
    from django.apps import apps as real

    for label in ("audit", "tables"):  # else made only after all migrations
        create_permissions(real.get_app_config(label), apps=real, verbosity=0)
    for name, permissions in found(apps).items():
        apps.get_model("auth", "Group").objects.get(name=name).permissions.add(*permissions)


def take_away(apps: Apps, schema_editor: Any) -> None:
    """Take them away again."""
    for name, permissions in found(apps).items():
        apps.get_model("auth", "Group").objects.get(name=name).permissions.remove(*permissions)


def found(apps: Apps) -> dict[str, list[Any]]:
    """Return each role's permissions as rows."""
    permission_of = apps.get_model("auth", "Permission").objects
    return {
        name: [
            permission_of.get(content_type__app_label=app, codename=codename)
            for app, codename in (permission.split(".") for permission in wanted)
        ]
        for name, wanted in ROLES.items()
    }


class Migration(migrations.Migration):
    dependencies = [
        ("tables", "0005_submission_approval"),
        ("audit", "0003_exception_notes"),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="gamingtable",
            options={
                "ordering": ["code"],
                "permissions": [
                    ("close_gap", "Can close a gap in a table's events"),
                    ("view_error_trends", "Can see dealers' errors and their trend"),
                ],
            },
        ),
        migrations.RunPython(give, take_away),
    ]
