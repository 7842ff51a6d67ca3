"""Who writes in the casebook, and who reads it: surveillance, and who audits it."""

from typing import Any

from django.apps.registry import Apps
from django.contrib.auth.management import create_permissions
from django.db import migrations

READ = ["case", "caseentry", "camera", "footagehold", "holdend", "preservedround"]
MORE = {
    "surveillance": ["write_case", "withhold_case", *(f"view_{model}" for model in READ)],
    "auditor": [f"view_{model}" for model in READ],
}


def give(apps: Apps, schema_editor: Any) -> None:
    """Add these permissions to the groups."""
    from django.apps import apps as real

    create_permissions(real.get_app_config("audit"), apps=real, verbosity=0)
    permission_of = apps.get_model("auth", "Permission").objects
    for name, codenames in MORE.items():
        group = apps.get_model("auth", "Group").objects.get(name=name)
        found = permission_of.filter(content_type__app_label="audit", codename__in=codenames)
        group.permissions.add(*found)


class Migration(migrations.Migration):
    dependencies = [("tables", "0017_dossier"), ("audit", "0010_case_guards")]

    operations = [migrations.RunPython(give, migrations.RunPython.noop)]
