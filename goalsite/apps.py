from django.apps import AppConfig


class GoalsiteConfig(AppConfig):
    name = "goalsite"
    verbose_name = "Goalsite"
