"""Function: the class that people derive from to define an operation and its derivative (spec 01)."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from itertools import count
from typing import Any, ClassVar

from vizgrad.core.errors import class_place, explained, function_place
from vizgrad.core.function.custom.apply import apply
from vizgrad.core.function.custom.backward_class import BackwardCFunction
from vizgrad.core.function.custom.context import FunctionCtx, _HookMixin
from vizgrad.core.tensor.state import wrong_call

_next_id = count().__next__


class FunctionMeta(type):
    """Gives each Function `Foo` its class of contexts and nodes, `FooBackward` (F-2)."""

    _backward_cls: Any
    _is_legacy: bool

    def __init__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> None:
        super().__init__(name, bases, namespace)
        body: dict[str, Any] = {
            "__module__": cls.__module__,
            "__doc__": f"Context, and node of the graph, of a call of {name}.",
            "_forward_cls": cls,
            "_autograd_function_id": _next_id(),
        }
        if cls._context_reads_class:  # pyright: ignore[reportAttributeAccessIssue]  set on Function
            body["__getattr__"] = _from_forward_class
        body.update(cls._context_members)  # pyright: ignore[reportAttributeAccessIssue]  set on Function
        cls._backward_cls = type(name + "Backward", (BackwardCFunction,), body)
        #: The nearest forward is an instance method, as Functions had before PyTorch 1.3 (F-91).
        cls._is_legacy = not isinstance(
            inspect.getattr_static(cls, "forward"), (staticmethod, classmethod)
        )


def _from_forward_class(ctx: Any, name: str) -> Any:
    """Attributes of the Function, methods bound to the context (F-123)."""
    if not name.startswith("__"):
        try:
            found = inspect.getattr_static(ctx._forward_cls, name)
        except AttributeError:
            pass
        else:
            return found.__get__(ctx, type(ctx)) if hasattr(found, "__get__") else found
    raise AttributeError(f"{type(ctx).__name__!r} object has no attribute {name!r}")


def any_arguments(method: Callable[..., Any]) -> Callable[..., Any]:
    """Hides the parameters from type checkers: each Function takes its own."""
    return method


class Function(FunctionCtx, _HookMixin, metaclass=FunctionMeta):
    """An operation with a derivative of its own.

        class Square(Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x * x

            @staticmethod
            def backward(ctx, grad):
                (x,) = ctx.saved_tensors
                return 2 * x * grad

        y = Square.apply(x)

    `backward` gets one gradient per output and returns one per argument of `forward`, None where there
    is none. Split style: `forward(*args)` without ctx and `setup_context(ctx, inputs, output)`.
    """

    #: Asks for automatic batching of `apply` under vmap (F-84).
    generate_vmap_rule = False
    #: Backward receives one list of gradients, which it may empty, in place of arguments (F-43).
    boxed_grads_call = False
    #: Saved tensors are released when they are first read (F-43).
    clear_saved_tensors_on_access = False
    is_traceable = False
    #: Contexts find methods and attributes of the Function (the legacy classes).
    _context_reads_class = False
    #: Attributes that contexts have in place of FunctionCtx's (NestedIOFunction).
    _context_members: ClassVar[dict[str, Any]] = {}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warnings.warn(
            f"{type(self)} should not be instantiated. Methods on autograd functions are all static, "
            f"so you should invoke them on the class itself: {type(self).__name__}.apply(...).",
            DeprecationWarning,
            stacklevel=2,
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise explained(
            RuntimeError(
                "Legacy autograd function with non-static forward method is deprecated. Please use "
                "new-style autograd function with static forward method."
            ),
            kind="function-return",
            culprit=function_place(type(self).forward),
            tensor=type(self).__name__,
            fix=f"call {type(self).__name__}.apply(...) on the class",
        )

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Computes the outputs from the arguments; first argument ctx unless `setup_context` is
        defined. Runs without grad mode.
        """
        raise wrong_call(
            NotImplementedError(
                "You must implement the forward function for custom autograd.Function."
            ),
            "define forward in the class, with @staticmethod",
            "function-return",
        )

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """Split style: saves what backward needs, given the arguments and the result."""
        # F-13
        raise wrong_call(
            NotImplementedError("setup_context is not implemented."),
            "define setup_context in the class, or let forward take ctx",
            "function-return",
        )

    @staticmethod
    @any_arguments
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """One gradient per argument of forward, from one per output."""
        raise wrong_call(
            NotImplementedError(
                "You must implement either the backward or vjp method for your custom "
                "autograd.Function to use it with backward mode AD."
            ),
            "define backward in the class, with @staticmethod",
            "function-return",
        )

    #: Another spelling of backward (F-17).
    vjp = backward

    @staticmethod
    @any_arguments
    def jvp(ctx: Any, *grad_inputs: Any) -> Any:
        """One tangent per output, from one per argument."""
        # F-80
        raise wrong_call(
            NotImplementedError(
                "You must implement the jvp function for custom autograd.Function to use it with "
                "forward mode AD."
            ),
            "define jvp in the class, with @staticmethod",
            "function-return",
        )

    @staticmethod
    def vmap(info: Any, in_dims: Any, *args: Any) -> Any:
        """The Function on a batch: returns (output, out_dims)."""
        # F-84
        raise wrong_call(
            NotImplementedError(
                "To use autograd.Function with vmap, you must either override the vmap staticmethod "
                "or set generate_vmap_rule=True."
            ),
            "define vmap in the class, with @staticmethod",
            "function-return",
        )

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Runs forward on the arguments and records its node."""
        # F-10 ... F-15
        if cls._is_legacy and not cls._context_reads_class:
            raise explained(
                RuntimeError(
                    "Legacy autograd function with non-static forward method is deprecated. Please "
                    "use new-style autograd function with static forward method."
                ),
                kind="function-return",
                culprit=function_place(cls.forward),
                tensor=cls.__name__,
                fix="put @staticmethod above forward and backward, with ctx as first parameter",
            )
        if cls.forward is Function.forward:
            raise missing(
                cls, "You must implement the forward function for custom autograd.Function."
            )
        return apply(cls, args, kwargs)

    @classmethod
    def _is_split(cls) -> bool:
        return cls.setup_context is not Function.setup_context

    @classmethod
    def _own_backward(cls) -> tuple[Any, bool]:
        """The backward or vjp that the class defines, and whether it defines both.

        Raises NotImplementedError when it defines none.
        """
        # F-17
        own_vjp = cls.vjp is not Function.vjp
        own_backward = cls.backward is not Function.backward
        if not (own_vjp or own_backward):
            raise missing(
                cls,
                "You must implement either the backward or vjp method for your custom "
                "autograd.Function to use it with backward mode AD.",
            )
        return (cls.vjp if own_vjp else cls.backward), own_vjp and own_backward


def missing(cls: Any, message: str) -> NotImplementedError:
    return explained(
        NotImplementedError(message),
        kind="function-return",
        culprit=class_place(cls),
        tensor=cls.__name__,
        fix=f"define it in class {cls.__name__}, with @staticmethod",
    )


def traceable(cls: Any) -> Any:
    """Sets `cls.is_traceable = True` and returns `cls`; nothing else comes of it (F-92)."""
    cls.is_traceable = True
    return cls


# InplaceFunction: one operation, in place or not (spec 01 K).


class InplaceFunction(Function):
    """A Function whose instances say whether it works in place.

        class Double(InplaceFunction):
            def forward(self, x):
                return x.mul_(2) if self.inplace else x * 2

            def backward(self, grad):
                return grad * 2

        Double.apply(x)                 # ctx.inplace is False
        Double(inplace=True)(x)         # writes to x

    `forward` and `backward` may be static, with ctx first, or like methods: `self` is the context. It has
    the attributes of the instance. An in-place result need not be marked dirty (F-113).
    """

    _context_reads_class = True

    inplace = False

    def __init__(self, inplace: bool = False) -> None:
        self.inplace = inplace

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Applies the Function with a new context that has this instance's attributes (F-111)."""
        return apply(type(self), args, kwargs, context_like(self))


def context_like(instance: Any) -> Any:
    """A new context of the instance's class, with the instance's attributes."""
    ctx = type(instance)._backward_cls()
    for name, value in vars(instance).items():
        setattr(ctx, name, value)
    return ctx
