"""DistributedSampler: the part of a data set that this rank takes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from vizgrad.core.ops.public.generators import Generator
from vizgrad.core.ops.public.random_sampling import randperm
from vizgrad.core.tensor.state import wrong_call
from vizgrad.distributed.groups import get_rank, get_world_size
from vizgrad.utils.data.sampler import Sampler


class DistributedSampler(Sampler):
    """Places of `dataset` for `rank` of `num_replicas`, which are those of the default process group if not
    given.

    All ranks take equally many: some places are taken twice, or with `drop_last` some not at all. With
    `shuffle` the order follows from `seed` and the epoch: call `set_epoch(epoch)` before each.

    ValueError for a `rank` that is not below `num_replicas`.
    """

    def __init__(
        self,
        dataset: Any,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
    ) -> None:
        num_replicas = get_world_size() if num_replicas is None else num_replicas
        rank = get_rank() if rank is None else rank
        if not 0 <= rank < num_replicas:
            raise wrong_call(
                ValueError(
                    f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]"
                ),
                f"give a rank below {num_replicas}",
            )
        self.dataset = dataset
        self.num_replicas, self.rank = num_replicas, rank
        self.epoch = 0
        self.drop_last, self.shuffle, self.seed = drop_last, shuffle, seed
        count = len(dataset)
        if drop_last and count % num_replicas:
            self.num_samples = math.ceil((count - num_replicas) / num_replicas)
        else:
            self.num_samples = math.ceil(count / num_replicas)
        self.total_size = self.num_samples * num_replicas

    def __iter__(self) -> Iterator[int]:
        count = len(self.dataset)
        if self.shuffle:
            generator = Generator()
            generator.manual_seed(self.seed + self.epoch)
            places = [int(place) for place in randperm(count, generator=generator).tolist()]
        else:
            places = list(range(count))
        if places and self.total_size > count:
            places *= math.ceil(self.total_size / count)
        return iter(places[: self.total_size][self.rank :: self.num_replicas])

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """The number of the epoch that begins, on all ranks the same."""
        self.epoch = epoch
