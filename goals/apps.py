from django.apps import AppConfig
from django.db.models.signals import post_migrate


class GoalsConfig(AppConfig):
    name = "goals"
    verbose_name = "Goals"

    def ready(self) -> None:
        from goals import roles

        post_migrate.connect(roles.make_after_migrating, dispatch_uid="goals.roles")
