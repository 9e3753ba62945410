"""A worker that is to stop begins no further call, not even to have a reply mended."""

from goals.models import ModelCall
from goals.tasks import Slice


def test_a_reply_that_cannot_be_read_is_asked_for_again_by_the_next_worker(endpoint, submit, settle):
    endpoint.play({"plan_checkpoints": [{"text": "no JSON"}]})
    goal = submit("Say hello")
    Slice(lambda: ModelCall.objects.filter(purpose="plan_checkpoints").exists(), only=[goal.pk], linger=0.0).run()
    assert ModelCall.objects.filter(purpose="plan_checkpoints").count() == 1
    goal = settle(goal)
    assert ModelCall.objects.filter(purpose="plan_checkpoints", status="succeeded").exists()
    assert goal.checkpoints.exists()
