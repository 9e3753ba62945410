"""A message is interpreted under a lease, and says why when it could not be."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("goals", "0001_initial")]

    operations = [
        migrations.AddField("message", "claims", models.PositiveIntegerField(default=0, editable=False)),
        migrations.AddField("message", "claimed_until", models.DateTimeField(blank=True, editable=False, null=True)),
        migrations.AddField("message", "failure", models.TextField(blank=True, default=""), preserve_default=False),
    ]
