"""The page's addresses."""

from django.contrib.auth.views import LogoutView
from django.urls import path

from goals.chat import acts, goal_page, goal_tabs, questions, shared, step_acts, tray, views
from goals.chat.inside import views as inside
from goals.chat.page import strict
from goals.chat.signing import SignIn

urlpatterns = [
    path("login/", strict(SignIn.as_view()), name="login"),
    path("logout/", strict(LogoutView.as_view()), name="logout"),
    path("", views.home, name="chat"),
    path("c/list/", views.list_fragment, name="conversation_list"),
    path("c/new/", acts.begin, name="conversation_begin"),
    path("c/examples/<slug:slug>/", acts.example, name="example"),
    path("c/<uuid:conversation_id>/", views.conversation, name="conversation"),
    path("c/<uuid:conversation_id>/timeline/", views.timeline_fragment, name="timeline"),
    path("c/<uuid:conversation_id>/panel/", views.panel_fragment, name="panel"),
    path("c/<uuid:conversation_id>/messages/", acts.say, name="say"),
    path("c/<uuid:conversation_id>/messages/<int:number>/retry/", acts.retry, name="retry"),
    path("c/<uuid:conversation_id>/messages/<int:number>/correct/", acts.correct, name="correct"),
    path("c/<uuid:conversation_id>/name/", acts.rename, name="rename"),
    path("c/<uuid:conversation_id>/artifacts/", views.artifact_names, name="artifact_names"),
    path("attachments/", acts.attach, name="attach"),
    path("attachments/<uuid:attachment_id>/", views.attachment, name="attachment"),
    path("attachments/<uuid:attachment_id>/drop/", acts.detach, name="detach"),
    path("needs/", tray.fragment, name="tray"),
    path("q/<uuid:question_id>/", questions.question, name="question"),
    path("q/<uuid:question_id>/answer/", questions.answer, name="answer"),
    path("g/<uuid:goal_id>/", goal_page.graph, name="goal_page"),
    path("g/<uuid:goal_id>/head/", goal_page.head, name="goal_head"),
    path("g/<uuid:goal_id>/timeline/", goal_tabs.timeline, name="goal_timeline"),
    path("g/<uuid:goal_id>/timeline.json", goal_tabs.timeline_data, name="goal_moments"),
    path("g/<uuid:goal_id>/events/", goal_tabs.events, name="goal_events"),
    path("g/<uuid:goal_id>/artifacts/", goal_tabs.artifacts, name="goal_artifacts"),
    path("g/<uuid:goal_id>/steps/<uuid:checkpoint_id>/", step_acts.step, name="step"),
    path("g/<uuid:goal_id>/steps/<uuid:checkpoint_id>/<slug:action>/", step_acts.step_act, name="step_act"),
    path("g/<uuid:goal_id>/parts/<uuid:subgoal_id>/", step_acts.part, name="part"),
    path("g/<uuid:goal_id>/parts/<uuid:subgoal_id>/edit/", step_acts.part_edit, name="part_edit"),
    path("g/<uuid:goal_id>/graph.json", goal_page.graph_data, name="goal_graph_data"),
    path("g/<uuid:goal_id>/files/<path:path>", views.file, name="goal_file"),
    path("g/<uuid:goal_id>/people/", shared.show_to, name="show_to"),
    path("g/<uuid:goal_id>/share/", shared.share, name="share"),
    path("g/<uuid:goal_id>/share/<uuid:share_id>/withdraw/", shared.withdraw, name="withdraw"),
    path("s/<str:token>/", shared.shared, name="shared"),
    path("s/<str:token>/graph/", shared.shared_graph, name="shared_graph"),
    path("s/<str:token>/graph/data/", shared.shared_graph_data, name="shared_graph_data"),
    path("s/<str:token>/files/<path:path>", shared.shared_file, name="shared_file"),
    path("g/<uuid:goal_id>/<slug:kind>/<uuid:row_id>/", inside.look, name="goal_inside"),
    path("g/<uuid:goal_id>/<slug:kind>/<uuid:row_id>/<slug:part>/", inside.whole, name="goal_part"),
    path("g/<uuid:goal_id>/<slug:action>/", acts.act, name="act"),
]
