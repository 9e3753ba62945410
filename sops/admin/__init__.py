"""The library in the admin: read it, see how it fares, activate and retire."""

from sops.admin.sops import SopAdmin
from sops.admin.uses import SopUseAdmin
from sops.admin.versions import PerspectiveAdmin, SopStepAdmin, SopVersionAdmin

__all__ = ["PerspectiveAdmin", "SopAdmin", "SopStepAdmin", "SopUseAdmin", "SopVersionAdmin"]
