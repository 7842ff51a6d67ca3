"""Change something in a process, without a hook in the product.

This folder is put on PYTHONPATH of the processes of a house that is to be wrong; Python imports
this module at its start. ``MUTANT`` names the changes, each made right after its module was
loaded. Whether one was made stands in the process's log.
"""

import os
import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

from changes import CHANGES

wanted = [(name, *CHANGES[name]) for name in os.environ["MUTANT"].split(",") if name in CHANGES]


class ChangingLoader(Loader):
    """Load a module as ever, then change it."""

    def __init__(self, loader: Any) -> None:
        self.loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        made: ModuleType | None = self.loader.create_module(spec)
        return made

    def exec_module(self, module: ModuleType) -> None:
        self.loader.exec_module(module)
        for name, place, change in wanted:
            if place == module.__name__:
                change(module)
                sys.stderr.write(f"changed: {name}\n")


class ChangingFinder(MetaPathFinder):
    """Find the modules to change; leave all others to the finders after this one."""

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> ModuleSpec | None:
        if all(fullname != place for _, place, _ in wanted):
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None:
            spec.loader = ChangingLoader(spec.loader)
        return spec


sys.meta_path.insert(0, ChangingFinder())
