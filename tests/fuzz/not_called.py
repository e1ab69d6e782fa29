"""Public names that the fuzzer does not call, and why."""

from __future__ import annotations

_STATE = "a setting of the library, not an operation: tests/autograd, tests/core/arrays"
_TENSOR = "of the tensor as an object, not of its values: tests/core/tensor, tests/oracle/programs"
_SPARSE = "drawn at random beside dense arrays in tests/core/arrays/test_sparse.py; S-1 ... S-17"
_AUTOCAST = "a setting of mixed precision: tests/oracle/programs/mixed_precision.py"
_FUNCTIONS = "takes a function: tests/core/batching, tests/oracle/programs"
_DRAWN = "the state of the generator: tests/oracle/programs"

NAMES: dict[str, str] = (
    {"compile": _FUNCTIONS, "vmap": _FUNCTIONS}
    | dict.fromkeys(
        (
            "are_deterministic_algorithms_enabled",
            "get_default_device",
            "get_default_dtype",
            "get_deterministic_debug_mode",
            "is_deterministic_algorithms_warn_only_enabled",
            "set_deterministic_debug_mode",
            "get_float32_matmul_precision",
            "get_num_interop_threads",
            "get_num_threads",
            "is_anomaly_check_nan_enabled",
            "is_anomaly_enabled",
            "is_grad_enabled",
            "is_inference_mode_enabled",
            "is_warn_always_enabled",
            "set_default_device",
            "set_default_tensor_type",
            "set_default_dtype",
            "set_float32_matmul_precision",
            "set_num_interop_threads",
            "set_num_threads",
            "set_printoptions",
            "set_warn_always",
            "use_deterministic_algorithms",
        ),
        _STATE,
    )
    | dict.fromkeys(
        ("pca_lowrank", "svd_lowrank"),
        "factors of products with random numbers: tests/oracle/programs/windows_and_points.py",
    )
    | dict.fromkeys(
        ("get_rng_state", "initial_seed", "manual_seed", "seed", "set_rng_state"), _DRAWN
    )
    | dict.fromkeys(
        (
            "T.as_subclass",
            "T.backward",
            "T.cuda",
            "T.data_ptr",
            "T.pin_memory",
            "T.record_stream",
            "T.register_hook",
            "T.register_post_accumulate_grad_hook",
            "T.storage",
            "T.storage_type",
            "T.untyped_storage",
            "from_dlpack",
            "is_storage",
            "to_dlpack",
            "typename",
        ),
        _TENSOR,
    )
    | dict.fromkeys(
        (
            "T.ccol_indices",
            "T.coalesce",
            "T.col_indices",
            "T.crow_indices",
            "T.dense_dim",
            "T.indices",
            "T.is_coalesced",
            "T.is_sparse",
            "T.is_sparse_csr",
            "T.row_indices",
            "T.sparse_dim",
            "T.sparse_mask",
            "T.to_dense",
            "T.to_sparse",
            "T.to_sparse_bsc",
            "T.to_sparse_bsr",
            "T.to_sparse_coo",
            "T.to_sparse_csc",
            "T.to_sparse_csr",
            "T.values",
            "dsmm",
            "sparse_bsc_tensor",
            "sparse_bsr_tensor",
            "sparse_compressed_tensor",
            "sparse_coo_tensor",
            "sparse_csc_tensor",
            "sparse_csr_tensor",
            "spmm",
        ),
        _SPARSE,
    )
    | dict.fromkeys(
        ("T.resize", "T.resize_as"),
        "PyTorch reads past what an expanded or stepped tensor has: tests/oracle/programs/old_names.py",
    )
    | dict.fromkeys(("load", "save"), "files: tests/oracle/test_files.py")
    | dict.fromkeys(
        (
            "clear_autocast_cache",
            "get_autocast_cpu_dtype",
            "get_autocast_dtype",
            "get_autocast_gpu_dtype",
            "is_autocast_cache_enabled",
            "is_autocast_cpu_enabled",
            "is_autocast_enabled",
            "set_autocast_cache_enabled",
            "set_autocast_dtype",
            "set_autocast_enabled",
        ),
        _AUTOCAST,
    )
    | dict.fromkeys(
        (
            "T.is_cpu",
            "T.is_distributed",
            "T.is_ipu",
            "T.is_maia",
            "T.is_meta",
            "T.is_mkldnn",
            "T.is_mps",
            "T.is_mtia",
            "T.is_nested",
            "T.is_quantized",
            "T.is_shared",
            "T.is_vulkan",
            "T.is_xla",
            "T.name",
            "T.volatile",
            "T.is_xpu",
            "is_distributed",
        ),
        _TENSOR,
    )
    | dict.fromkeys(
        (
            "ccol_indices_copy",
            "col_indices_copy",
            "crow_indices_copy",
            "indices_copy",
            "row_indices_copy",
            "values_copy",
        ),
        _SPARSE,
    )
)
