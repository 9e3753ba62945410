"""`index_markdown_links`: every link of the Markdown files, and whether the files they point at are there."""

from pydantic import Field

from goals.tools.base import ToolInput


class IndexMarkdownLinksInput(ToolInput):
    path: str = Field(".", min_length=1, max_length=4096, description="Folder to look in, relative to the workspace")
    pattern: str = Field("*.md", min_length=1, max_length=500, description="Glob of the Markdown files")
    max_links: int = Field(5000, ge=1, le=20_000)
