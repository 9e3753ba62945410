from django.apps import AppConfig


class GoalsiteConfig(AppConfig):
    name = "goalsite"
    verbose_name = "Goalsite"

    def ready(self) -> None:
        from goalsite import checks, forking, queue_lease

        forking.install()
        queue_lease.connect()
        checks.register()
