"""The tools that every site has."""

from goals.tools.base import Tool
from goals.tools.files_list import ListFiles
from goals.tools.files_read import ReadFile, ReadManyFiles
from goals.tools.files_search import SearchFiles
from goals.tools.files_write import EditFile, WriteFile
from goals.tools.memory import SaveMemory
from goals.tools.trains import TrainBook, TrainSearch

BUILTIN: tuple[type[Tool], ...] = (
    ReadFile,
    ReadManyFiles,
    ListFiles,
    SearchFiles,
    WriteFile,
    EditFile,
    SaveMemory,
    TrainSearch,
    TrainBook,
)
