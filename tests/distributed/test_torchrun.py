"""`torchrun` starts programs of vizgrad: its own store listens at MASTER_PORT. `make parity` runs this."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.distributed.ranks import LIMIT, environment

PROGRAM = """\
import sys
import vizgrad as torch
import vizgrad.distributed as dist
dist.init_process_group()
x = torch.tensor([dist.get_rank() + 1.0])
dist.all_reduce(x)
# In one piece: the ranks share a pipe.
sys.stdout.write(f"rank {dist.get_rank()} of {dist.get_world_size()}: {x.item()}\\n")
dist.destroy_process_group()
"""


def test_torch_run_starts_ranks_of_vizgrad(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    script = tmp_path / "train.py"
    script.write_text(PROGRAM)
    command = [
        sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2",
        str(script),
    ]  # fmt: skip
    surroundings = environment(2, 0, 0)
    for name in ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"):
        del surroundings[name]
    done = subprocess.run(
        command, env=surroundings, capture_output=True, text=True, timeout=LIMIT, check=False
    )
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == ["rank 0 of 2: 3.0", "rank 1 of 2: 3.0"]
