"""Samplers: in which order the items of a data set are taken, and in which batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from vizgrad.core.arrays import dtypes
from vizgrad.core.ops.public.from_values import as_tensor
from vizgrad.core.ops.public.generators import Generator
from vizgrad.core.ops.public.random_sampling import multinomial, randint, randperm


class Sampler:
    """Base class: a subclass has `__iter__`, which gives places, and mostly `__len__`."""

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError("Subclasses of Sampler should implement __iter__.")


class SequentialSampler(Sampler):
    """All, in order."""

    def __init__(self, data_source: Any) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


#: Places that are drawn at once, with replacement: as many as PyTorch draws.
_PORTION = 32


class RandomSampler(Sampler):
    """All in random order, or `num_samples` of them, each drawn anew with `replacement`."""

    def __init__(
        self,
        data_source: Any,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: Any = None,
    ) -> None:
        self.data_source = data_source
        self.replacement = _flag("replacement", replacement)
        self._num_samples = num_samples
        self.generator = generator
        _positive("num_samples", self.num_samples)

    @property
    def num_samples(self) -> int:
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        n, wanted = len(self.data_source), self.num_samples
        generator = self.generator
        if generator is None:  # of its own, so that what is drawn between batches changes nothing
            generator = Generator().manual_seed(int(randint(0, 2**62, ()).item()))
        if self.replacement:  # in portions: `wanted` may be a way of saying "for ever"
            for drawn in range(0, wanted, _PORTION):
                count = min(_PORTION, wanted - drawn)
                yield from randint(0, n, (count,), generator=generator).tolist()
            return
        while wanted > 0:
            yield from randperm(n, generator=generator).tolist()[:wanted]
            wanted -= n

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler):
    """The given places in random order."""

    def __init__(self, indices: Sequence[int], generator: Any = None) -> None:
        self.indices = indices
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        for place in randperm(len(self.indices), generator=self.generator).tolist():
            yield self.indices[place]

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler):
    """Places drawn with the given weights."""

    def __init__(
        self, weights: Any, num_samples: int, replacement: bool = True, generator: Any = None
    ) -> None:
        self.weights = as_tensor(weights, dtype=dtypes.float64)
        self.num_samples = _positive("num_samples", num_samples)
        self.replacement = _flag("replacement", replacement)
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        drawn = multinomial(
            self.weights, self.num_samples, self.replacement, generator=self.generator
        )
        yield from drawn.tolist()

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler):
    """Lists of `batch_size` places from another sampler; the last may be shorter unless it is dropped."""

    def __init__(self, sampler: Iterable[int], batch_size: int, drop_last: bool) -> None:
        self.sampler = sampler
        self.batch_size = _positive("batch_size", batch_size)
        self.drop_last = _flag("drop_last", drop_last)

    def __iter__(self) -> Iterator[list[int]]:
        places = iter(self.sampler)
        while batch := list(islice(places, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def __len__(self) -> int:
        count = len(self.sampler)  # pyright: ignore[reportArgumentType]  TypeError if it has no length
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)


def _positive(name: str, value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        raise ValueError(f"{name} should be a positive integer value, but got {name}={value}")
    return value


def _flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        kind = ValueError if name == "drop_last" else TypeError  # as PyTorch's classes have it
        raise kind(f"{name} should be a boolean value, but got {name}={value}")
    return value
