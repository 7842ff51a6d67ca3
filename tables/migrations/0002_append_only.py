"""The intake, what became of it, rounds and submissions only grow."""

from django.db import migrations

from audit.guards import append_only


class Migration(migrations.Migration):
    dependencies = [("tables", "0001_initial"), ("audit", "0002_append_only")]

    operations = [
        append_only("tables_tableevent"),
        append_only("tables_appliedevent"),
        append_only("tables_round"),
        append_only("tables_roundposition"),
        append_only("tables_rulessubmission"),
    ]
