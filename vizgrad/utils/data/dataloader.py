"""DataLoader: goes through a data set in batches, in this process.

The names of PyTorch's module, from which older programs import them, are here too.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from vizgrad.utils.data.collate import default_collate, default_convert
from vizgrad.utils.data.dataset import Dataset as Dataset
from vizgrad.utils.data.dataset import IterableDataset
from vizgrad.utils.data.sampler import BatchSampler, RandomSampler, SequentialSampler
from vizgrad.utils.data.sampler import Sampler as Sampler

_ALONE = (
    "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last"
)
_FIXED = frozenset(
    ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")
)


class DataLoader:
    """Batches of a data set, for `for x, y in loader:`.

    Every item is read in this process when its batch is due: `num_workers` above 0 is accepted with a
    warning, and so `worker_init_fn` is never called; `pin_memory` changes nothing. `batch_size=None` gives
    items one by one.
    Raises ValueError for options that exclude each other.
    """

    def __init__(
        self, dataset: Any, batch_size: int | None = 1, shuffle: bool | None = None,
        sampler: Any = None, batch_sampler: Any = None, num_workers: int = 0,
        collate_fn: Callable[[Any], Any] | None = None, pin_memory: bool = False,
        drop_last: bool = False, timeout: float = 0, worker_init_fn: Any = None,
        multiprocessing_context: Any = None, generator: Any = None, *,
        prefetch_factor: int | None = None, persistent_workers: bool = False,
        pin_memory_device: str = "", in_order: bool = True,
    ) -> None:  # fmt: skip
        _check_workers(num_workers, timeout, prefetch_factor, persistent_workers)
        stream = isinstance(dataset, IterableDataset)
        if stream:
            _check_stream(shuffle, sampler, batch_sampler)
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise ValueError(_ALONE)
            batch_size, drop_last = None, False
        elif batch_size is None and drop_last:
            raise ValueError(
                "batch_size=None option disables auto-batching and is mutually exclusive with drop_last"
            )
        if sampler is None and not stream:
            sampler = (
                RandomSampler(dataset, generator=generator)
                if shuffle
                else SequentialSampler(dataset)
            )
        if batch_size is not None:
            batch_sampler = BatchSampler(() if sampler is None else sampler, batch_size, drop_last)
        batches = batch_sampler is not None
        self.__dict__.update(
            dataset=dataset, batch_size=batch_size, sampler=sampler, batch_sampler=batch_sampler,
            num_workers=num_workers, pin_memory=pin_memory, drop_last=drop_last, timeout=timeout,
            generator=generator, worker_init_fn=worker_init_fn, prefetch_factor=prefetch_factor,
            persistent_workers=persistent_workers, in_order=in_order,
            collate_fn=collate_fn or (default_collate if batches else default_convert),
        )  # fmt: skip

    dataset: Any
    batch_size: int | None
    sampler: Any
    batch_sampler: Any
    drop_last: bool
    collate_fn: Callable[[Any], Any]

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _FIXED:
            raise ValueError(f"{name} attribute should not be set after DataLoader is initialized")
        super().__setattr__(name, value)

    def __iter__(self) -> Iterator[Any]:
        if isinstance(self.dataset, IterableDataset):
            yield from self._of_stream()
        elif self.batch_sampler is None:
            for place in self.sampler:
                yield self.collate_fn(self.dataset[place])
        else:
            several = getattr(self.dataset, "__getitems__", None)
            for places in self.batch_sampler:
                items = several(places) if several else [self.dataset[i] for i in places]
                yield self.collate_fn(items)

    def _of_stream(self) -> Iterator[Any]:
        items = iter(self.dataset)
        if self.batch_size is None:
            yield from map(self.collate_fn, items)
            return
        while batch := list(islice(items, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield self.collate_fn(batch)

    def __len__(self) -> int:
        """How many batches there are; TypeError if the data set has no length."""
        if isinstance(self.dataset, IterableDataset):
            count = len(self.dataset)  # pyright: ignore[reportArgumentType]  TypeError if it has no length
            if self.batch_size is None:
                return count
            return count // self.batch_size if self.drop_last else -(-count // self.batch_size)
        return len(self.sampler if self.batch_sampler is None else self.batch_sampler)


def _check_stream(shuffle: Any, sampler: Any, batch_sampler: Any) -> None:
    for name, given in (
        ("shuffle", shuffle),
        ("sampler", sampler),
        ("batch_sampler", batch_sampler),
    ):
        if given not in (None, False):
            raise ValueError(
                f"DataLoader with IterableDataset: expected unspecified {name} option, but got "
                f"{name}={given}"
            )


def _check_workers(workers: int, timeout: float, prefetch: int | None, persistent: bool) -> None:
    if workers < 0:
        raise ValueError(
            "num_workers option should be non-negative; use num_workers=0 to disable multiprocessing."
        )
    if timeout < 0:
        raise ValueError("timeout option should be non-negative")
    if workers == 0 and prefetch is not None:
        raise ValueError(
            "prefetch_factor option could only be specified in multiprocessing: it needs num_workers > 0"
        )
    if workers == 0 and persistent:
        raise ValueError("persistent_workers option needs num_workers > 0")
    if workers:
        warnings.warn(
            f"num_workers={workers}: this DataLoader reads everything in the process it is used in",
            UserWarning,
            stacklevel=3,
        )


def get_worker_info() -> None:
    """None: items are read in the main process, which is no worker."""
    return
