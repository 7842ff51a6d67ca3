"""Two new roles over progressives, kept apart, and who reads and acknowledges what they change.

§ 605a.7(a)(5)-(6): configuration and reset are different keys in different hands.
"""

from typing import Any

from django.apps.registry import Apps
from django.contrib.auth.management import create_permissions
from django.db import migrations

READ = [
    f"progressives.view_{model}"
    for model in ("controlrequest", "controlstep", "controlleg", "meterretirement")
]
FLOOR = [
    "progressives.view_progressive",
    "progressives.view_meter",
    "progressives.view_meterentry",
    "progressives.view_lane",
    "tables.view_gamingtable",
]
NEW: dict[str, list[str]] = {
    "configuration authority": [*READ, *FLOOR, "progressives.configure_meter"],
    "reset authority": [*READ, *FLOOR, "progressives.reset_meter"],
}
MORE: dict[str, list[str]] = {
    "accounting": [*READ, "progressives.acknowledge_controlrequest"],
    **dict.fromkeys(("surveillance", "auditor", "administrator", "pit manager"), READ),
}


def give_roles(apps: Apps, schema_editor: Any) -> None:
    """Make the two groups, and add to those that the house has."""
    from django.apps import apps as real

    create_permissions(real.get_app_config("progressives"), apps=real, verbosity=0)
    permission_of = apps.get_model("auth", "Permission").objects
    groups = apps.get_model("auth", "Group").objects
    for name, wanted in {**NEW, **MORE}.items():
        group, _ = groups.get_or_create(name=name)
        for permission in wanted:
            app, codename = permission.split(".")
            found = permission_of.get(content_type__app_label=app, codename=codename)
            group.permissions.add(found)


def drop_roles(apps: Apps, schema_editor: Any) -> None:
    """Take the two groups away again."""
    apps.get_model("auth", "Group").objects.filter(name__in=NEW).delete()


class Migration(migrations.Migration):
    dependencies = [
        ("tables", "0011_search_roles"),
        ("progressives", "0015_control_guards"),
    ]

    operations = [migrations.RunPython(give_roles, drop_roles)]
