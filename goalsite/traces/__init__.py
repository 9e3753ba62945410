"""One OpenTelemetry trace a goal, made from its rows once they are settled (see README, "Traces").

The trace's id is the goal's, and each span's comes from its row's id: so a goal is one trace however often it paused or
its workers were killed, and what is sent twice is the same span.
Unless it is switched on, OpenTelemetry is not imported.
"""
