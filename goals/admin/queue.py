"""django-q2's own rows in the console's style: its queue, its results and its schedules.

They are read and never written: whoever could write one would have a worker call any function of this process.
"""

from django.contrib import admin
from django_q.admin import FailAdmin, QueueAdmin, ScheduleAdmin, TaskAdmin
from django_q.models import Failure, OrmQ, Schedule, Success
from unfold.admin import ModelAdmin

from goals.admin.base import Unchanging

PAGES = {OrmQ: QueueAdmin, Success: TaskAdmin, Failure: FailAdmin, Schedule: ScheduleAdmin}

for model, theirs in PAGES.items():
    if admin.site.is_registered(model):
        admin.site.unregister(model)
        ours = type(theirs.__name__, (Unchanging, theirs, ModelAdmin), {"__doc__": theirs.__doc__, "actions": []})
        admin.site.register(model, ours)
