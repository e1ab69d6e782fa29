"""Modules that hold modules or parameters."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self

from vizgrad.nn.modules import showing
from vizgrad.nn.modules.module import Module


def _place(index: Any, length: int) -> str:
    """`index`, negative ones counted from the end, as the name of a child; IndexError if it is none."""
    place = operator.index(index)
    if not -length <= place < length:
        raise IndexError(f"index {place} is out of range: there are {length} modules")
    return str(place % length)


class Sequential(Module):
    """Calls its modules one after the other. Takes modules, or one OrderedDict of named modules."""

    def __init__(self, *args: Any) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            for name, module in args[0].items():
                self.add_module(name, module)
        else:
            for index, module in enumerate(args):
                self.add_module(str(index), module)

    def forward(self, input: Any) -> Any:
        for module in self._modules.values():
            input = module(input)  # pyright: ignore[reportOptionalCall]  a None is not callable, as it says
        return input

    def _name_at(self, index: Any) -> str:
        return list(self._modules)[int(_place(index, len(self)))]

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)(OrderedDict(list(self._modules.items())[index]))
        return self._modules[self._name_at(index)]

    def __setitem__(self, index: int, module: Module) -> None:
        setattr(self, self._name_at(index), module)

    def __delitem__(self, index: Any) -> None:
        names = list(self._modules)
        for name in names[index] if isinstance(index, slice) else [self._name_at(index)]:
            delattr(self, name)
        self._renumber(list(self._modules.values()))

    def _renumber(self, modules: list[Any]) -> None:
        self._modules.clear()
        for index, module in enumerate(modules):
            self.add_module(str(index), module)

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules.values())

    def append(self, module: Module) -> Self:
        """Adds a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def insert(self, index: int, module: Module) -> Self:
        """Adds a module before place `index`."""
        modules = list(self._modules.values())
        if not -len(modules) <= index <= len(modules):
            raise IndexError(f"Index out of range: {index}")
        modules.insert(index, module)
        self._renumber(modules)
        return self

    def extend(self, sequential: Iterable[Module]) -> Self:
        """Adds all modules of another Sequential at the end."""
        for module in sequential:
            self.append(module)
        return self

    def __add__(self, other: Any) -> Sequential:
        if not isinstance(other, Sequential):
            raise ValueError(
                f"add operator supports only objects of Sequential class, but {type(other)} is given."
            )
        return Sequential(*self, *other)

    def __iadd__(self, other: Any) -> Self:
        if not isinstance(other, Sequential):
            raise ValueError(
                f"add operator supports only objects of Sequential class, but {type(other)} is given."
            )
        return self.extend(list(other))

    def __mul__(self, other: Any) -> Sequential:
        """The same modules several times over: they are shared, not copied."""
        return Sequential(*list(self) * self._times(other))

    __rmul__ = __mul__

    def __imul__(self, other: Any) -> Self:
        return self.extend(list(self) * (self._times(other) - 1))

    def _times(self, other: Any) -> int:
        if not isinstance(other, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(other)}")
        if other <= 0:
            raise ValueError(f"Non-positive multiplication factor {other} for {type(self)}")
        return other

    def pop(self, key: Any) -> Any:
        """Removes the module at `key` and returns it."""
        module = self[key]
        del self[key]
        return module


class ModuleList(Module):
    """A list of modules that the holding module knows of. It is not called itself."""

    _is_called = False

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)(list(self)[index])
        return self._modules[_place(index, len(self))]

    def __setitem__(self, index: int, module: Module) -> None:
        setattr(self, _place(index, len(self)), module)

    def __delitem__(self, index: Any) -> None:
        modules = list(self)
        if isinstance(index, slice):
            del modules[index]
        else:
            del modules[int(_place(index, len(self)))]
        self._renumber(modules)

    def _renumber(self, modules: list[Any]) -> None:
        self._modules.clear()
        for index, module in enumerate(modules):
            self.add_module(str(index), module)

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules.values())

    def __iadd__(self, modules: Iterable[Module]) -> Self:
        return self.extend(modules)

    def __add__(self, other: Iterable[Module]) -> ModuleList:
        return ModuleList([*self, *other])

    def append(self, module: Module) -> Self:
        """Adds a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def insert(self, index: int, module: Module) -> None:
        """Adds a module before place `index`."""
        modules = list(self)
        modules.insert(index, module)
        self._renumber(modules)

    def extend(self, modules: Iterable[Module]) -> Self:
        """Adds modules at the end; TypeError for what is not iterable."""
        if not isinstance(modules, Iterable):
            raise TypeError(
                "ModuleList.extend should be called with an iterable, but got "
                f"{type(modules).__name__}"
            )
        for module in modules:
            self.append(module)
        return self

    def pop(self, key: int) -> Any:
        """Removes the module at `key` and returns it."""
        module = self[key]
        del self[key]
        return module

    __repr__ = showing.grouped_repr


class ModuleDict(Module):
    """A dict of modules that the holding module knows of. It is not called itself."""

    _is_called = False

    def __init__(self, modules: Mapping[str, Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Any:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: str) -> bool:
        return key in self._modules

    def clear(self) -> None:
        self._modules.clear()

    def pop(self, key: str) -> Any:
        """Removes the module `key` and returns it."""
        return self._modules.pop(key)

    def keys(self) -> Iterable[str]:
        return self._modules.keys()

    def items(self) -> Iterable[tuple[str, Any]]:
        return self._modules.items()

    def values(self) -> Iterable[Any]:
        return self._modules.values()

    def update(self, modules: Any) -> None:
        """Adds modules from a mapping, or from pairs (key, module)."""
        if not isinstance(modules, Iterable):
            raise TypeError(
                "ModuleDict.update should be called with an iterable of key/value pairs, but got "
                f"{type(modules).__name__}"
            )
        pairs: Any = modules.items() if isinstance(modules, (Mapping, ModuleDict)) else modules
        for key, module in pairs:
            self[key] = module
