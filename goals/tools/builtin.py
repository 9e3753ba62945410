"""The tools that every site has."""

from goals.tools.artifact_read import ReadArtifact
from goals.tools.base import Tool
from goals.tools.files_list import ListFiles
from goals.tools.files_read import ReadFile, ReadManyFiles
from goals.tools.files_search import SearchFiles
from goals.tools.files_write import EditFile, WriteFile
from goals.tools.goal_tools import GoalCreate, GoalManage, GoalStatus
from goals.tools.links import IndexMarkdownLinks
from goals.tools.logs import GroupLogErrors
from goals.tools.memory import SaveMemory
from goals.tools.python_modules import InspectPythonModules
from goals.tools.report import RenderReport
from goals.tools.table import CleanTable
from goals.tools.trains import TrainBook, TrainSearch
from goals.tools.web_fetch import WebFetch

BUILTIN: tuple[type[Tool], ...] = (
    ReadArtifact,
    ReadFile,
    ReadManyFiles,
    ListFiles,
    SearchFiles,
    WriteFile,
    EditFile,
    RenderReport,
    InspectPythonModules,
    CleanTable,
    GroupLogErrors,
    IndexMarkdownLinks,
    SaveMemory,
    GoalCreate,
    GoalStatus,
    GoalManage,
    TrainSearch,
    TrainBook,
    WebFetch,
)
