from calendar_of_sowing import sowable
from greenhouse import advice


def weekly(month, readings):
    lines = ["This week", ""]
    lines += [f"- sow {name}" for name in sowable(month)]
    lines += [f"- {line}" for line in advice(readings)]
    return "\n".join(lines)
