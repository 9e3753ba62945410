from django.apps import AppConfig


class SopsConfig(AppConfig):
    name = "sops"
    verbose_name = "Standard operating procedures"
