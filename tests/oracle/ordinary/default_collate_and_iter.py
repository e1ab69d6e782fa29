"""torch.utils.data.dataloader by its module, TensorDataset, and manual iteration."""

from tests.oracle.ordinary.given import numbers


def main(torch):
    loaders = torch.utils.data.dataloader
    batch = loaders.default_collate([{"x": 1.5, "y": (2, [3.0])}, {"x": 2.5, "y": (4, [5.0])}])
    data = torch.utils.data.TensorDataset(numbers(torch, 9, 2, seed=1), torch.arange(9))
    part = torch.utils.data.Subset(data, [8, 1, 3, 5, 7])
    loader = torch.utils.data.DataLoader(
        part, batch_size=2, shuffle=False, drop_last=True, num_workers=0
    )
    iterator = iter(loader)
    x, y = next(iterator)
    joined = torch.utils.data.ConcatDataset([data, part])
    sampler = torch.utils.data.BatchSampler(torch.utils.data.SequentialSampler(joined), 5, False)
    return {
        "x": batch["x"], "y": batch["y"], "first": x, "index": y, "left": len(list(iterator)),
        "batches": [list(b) for b in sampler],
    }  # fmt: skip
