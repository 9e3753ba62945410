from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("goals", "0024_lists_by_time")]

    operations = [
        migrations.AddIndex(
            model_name="question",
            index=models.Index(condition=models.Q(("status", "open")), fields=["created_at"], name="question_queue"),
        ),
    ]
