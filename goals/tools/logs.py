"""`group_log_errors`: the errors of log files, alike ones together, counted, with first and last time."""

from typing import Literal

from pydantic import Field

from goals.tools.base import ToolInput


class GroupLogErrorsInput(ToolInput):
    path: str = Field(".", min_length=1, max_length=4096, description="Log file, or a folder of them")
    pattern: str = Field("*.log*", min_length=1, max_length=500, description="Glob of log files when path is a folder")
    min_level: Literal["warning", "error", "critical"] = Field("error", description="Least serious level to group")
    max_groups: int = Field(100, ge=1, le=1000)
