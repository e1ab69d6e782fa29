"""Indices out of range on a GPU are an error where a program is debugged. `make gpu-test`."""

from __future__ import annotations

import pytest

from tests.core.ops import test_indices_on_a_device as on_strict_arrays

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize("asking", on_strict_arrays.ASKING)
@pytest.mark.parametrize("name", on_strict_arrays.CALLS)
@pytest.mark.filterwarnings("ignore:Anomaly Detection:UserWarning")
def test_one_out_of_range_is_an_error_as_on_the_host(name: str, asking: str) -> None:
    on_strict_arrays.test_one_out_of_range_is_an_error_as_on_the_host(name, asking)


@pytest.mark.parametrize("node", on_strict_arrays.BACK)
def test_a_debugged_backward_ends_where_it_is(node: str) -> None:
    on_strict_arrays.test_a_debugged_backward_ends_at_the_node_whose_index_is_out_of_range(node)
    on_strict_arrays.test_a_debugged_backward_of_indices_in_range_is_as_any(node)
