"""The log only grows: PostgreSQL refuses UPDATE, DELETE and TRUNCATE."""

from django.db import migrations

from audit.guards import append_only, append_only_function


class Migration(migrations.Migration):
    dependencies = [("audit", "0001_initial")]

    operations = [append_only_function(), append_only("audit_auditevent")]
