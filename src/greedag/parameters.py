"""Options by name, as scikit-learn reads and sets them, without importing it."""

from __future__ import annotations

import importlib
import inspect
from typing import Any, TypeVar

from greedag.errors import OptionError

Own = TypeVar("Own", bound="Parameters")


class Parameters:
    """What an estimator does with the options of its own ``__init__``."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the options by name; `deep` is accepted because scikit-learn passes it."""
        names = inspect.signature(type(self)).parameters
        return {name: getattr(self, name) for name in sorted(names)}

    def set_params(self: Own, **params: Any) -> Own:
        """Set options by name and return self; they are checked when fitting."""
        valid = self.get_params()
        for name, value in params.items():
            if name not in valid:
                raise OptionError(
                    f"{type(self).__name__} has no option {name!r}; it has {', '.join(valid)}"
                )
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self)).parameters
        given = [
            f"{name}={value!r}"
            for name, value in self.get_params().items()
            if repr(value) != repr(defaults[name].default)
        ]
        return f"{type(self).__name__}({', '.join(given)})"

    def __sklearn_tags__(self) -> Any:
        # Only scikit-learn calls this, so it is installed and loaded by then.
        utils = importlib.import_module("sklearn.utils")
        return utils.Tags(estimator_type=None, target_tags=utils.TargetTags(required=False))
