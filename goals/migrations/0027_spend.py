import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("goals", "0026_tool_rules"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Spend",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("hour", models.DateTimeField()),
                ("model", models.CharField(max_length=200)),
                ("sop", models.CharField(blank=True, max_length=100)),
                ("usd", models.DecimalField(decimal_places=6, default=0, max_digits=20)),
                ("calls", models.PositiveBigIntegerField(default=0)),
                ("tokens", models.PositiveBigIntegerField(default=0)),
                (
                    "owner",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "spend",
                "ordering": ["-hour"],
                "constraints": [
                    models.UniqueConstraint(fields=["hour", "owner", "model", "sop"], name="spend_line_once")
                ],
            },
        ),
    ]
