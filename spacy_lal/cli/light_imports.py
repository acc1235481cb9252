"""Imports of what parsing needs of libraries, and of nothing else.

The library `transformers` comes without torch's compiler, which it names but parsing never calls: the compiler, and
sympy which it needs, take a third of the time of loading a pipeline. NLTK's trees come without the rest of NLTK.
"""

import sys
from functools import wraps
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import Any, Callable, Dict, Optional

_COMPILER = "torch._dynamo"
_LEFT_FOR_LATER = (_COMPILER, "torch._dynamo._trace_wrapped_higher_order_op")
_LIBRARY = "transformers.models.auto.auto_factory"
_TREES = "nltk.tree"


def import_transformers() -> None:
    """Import what choosing a transformer needs of the library. Stand-ins for the compiler are there during this import
    alone; the compiler is imported when one of them is first called. Where that fails, nothing is imported.
    """
    if any(name in sys.modules for name in (*_LEFT_FOR_LATER, _LIBRARY)):
        return
    import_module("torch")
    stand_ins: Dict[str, ModuleType] = {name: _StandIn(name) for name in _LEFT_FOR_LATER}
    sys.modules.update(stand_ins)
    try:
        import_module(_LIBRARY)
    except Exception:  # whoever imports the library next gets it, or its own error
        pass
    finally:
        _remove_stand_ins()


def import_trees() -> None:
    """Import NLTK's trees alone, a third of the whole. Whoever imports `nltk` later gets the library, with the same
    trees. Where that fails, nothing is imported."""
    spec = None if _TREES.partition(".")[0] in sys.modules else find_spec(_TREES.partition(".")[0])
    if spec is None:
        return
    sys.modules[spec.name] = module_from_spec(spec)  # empty, but its parts are found
    try:
        import_module(_TREES)
    except Exception:  # whoever imports the trees next gets them, or their own error
        for name in [name for name in sys.modules if name.startswith(f"{spec.name}.")]:
            del sys.modules[name]
    finally:
        del sys.modules[spec.name]


class _StandIn(ModuleType):
    """A module that is not imported yet: all of its names are there, for later."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if (self.__name__, name) == (_COMPILER, "disable"):
            return _disable
        return _Later(self.__name__, name)


class _Later:
    """A function or class of a module that is imported when it is first used.

    module, name (str): Where it is.
    """

    def __init__(self, module: str, name: str) -> None:
        self._module, self._name = module, name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return _find(self._module, self._name)(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(_find(self._module, self._name), name)

    def __instancecheck__(self, instance: Any) -> bool:
        module = sys.modules.get(self._module)
        if module is None or isinstance(module, _StandIn):  # then nothing can be of its classes
            return False
        return isinstance(instance, getattr(module, self._name))


def _disable(function: Optional[Callable[..., Any]] = None, *settings: Any, **named: Any) -> Callable[..., Any]:
    """`torch._dynamo.disable`, which reaches the compiler when the function is called. It decorates: without a
    function, it returns what takes one."""
    if function is None:
        return lambda decorated: _disable(decorated, *settings, **named)

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        return _find(_COMPILER, "disable")(function, *settings, **named)(*args, **kwargs)

    return call


def _find(module: str, name: str) -> Any:
    """A name of the real module. RAISES (ImportError): It can't be imported."""
    _remove_stand_ins()
    return getattr(import_module(module), name)


def _remove_stand_ins() -> None:
    for name in _LEFT_FOR_LATER:
        if isinstance(sys.modules.get(name), _StandIn):
            del sys.modules[name]
