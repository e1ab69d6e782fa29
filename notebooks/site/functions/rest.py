# Chance, questions about tensors, settings, types and storages.
import vizgrad as vg

# chance: each after manual_seed(0)
vg.bernoulli(vg.tensor([0.0, 0.5, 1.0]))
vg.binomial(vg.tensor([10.0, 10.0]), vg.tensor([0.0, 1.0]))
vg.multinomial(vg.tensor([0.0, 1.0, 3.0]), 2)
vg.normal(vg.tensor([0.0, 100.0]), 1.0)
vg.poisson(vg.tensor([0.0, 4.0]))
vg.rand(2)
vg.rand_like(vg.zeros(2))
vg.randint(0, 10, (3,))
vg.randint_like(vg.zeros(3), 0, 10)
vg.randn(2)
vg.randn_like(vg.zeros(2))
vg.randperm(4)
vg.Generator().manual_seed(7).initial_seed()
vg.initial_seed()
vg.manual_seed(0).initial_seed()
vg.seed() != vg.seed()

before = vg.get_rng_state()
first = vg.rand(2)
vg.set_rng_state(before)  # vg.rand(2) gives `first` again

vg.get_rng_state()[:8]  # the seed

# questions
vg.can_cast(vg.float32, vg.int64)
vg.typename(vg.tensor([1.0]))
vg.is_complex(vg.tensor([1j]))
vg.is_conj(vg.tensor([1j]).conj())
vg.is_distributed(vg.zeros(1))
vg.is_floating_point(vg.tensor([1]))
vg.is_inference(vg.zeros(1))
vg.is_neg(vg.zeros(1))
vg.is_nonzero(vg.tensor([3.0]))
vg.is_same_size(vg.zeros(2), vg.ones(2))
vg.is_signed(vg.tensor([1], dtype=vg.uint8))
vg.is_storage(vg.zeros(1).untyped_storage())
vg.is_tensor([1.0])
vg.numel(vg.zeros(2, 3))
vg.result_type(vg.tensor([1]), 1.0)
vg.resolve_conj(vg.tensor([1 + 2j]).conj())
vg.resolve_neg(vg.tensor([1.0]))

# settings
vg.are_deterministic_algorithms_enabled()
vg.get_float32_matmul_precision()
vg.get_num_interop_threads() > 0
vg.get_num_threads() > 0
vg.set_float32_matmul_precision("highest")
vg.set_num_threads(vg.get_num_threads())
vg.use_deterministic_algorithms(False)
vg.set_deterministic_debug_mode(0)
vg.get_deterministic_debug_mode()
vg.is_deterministic_algorithms_warn_only_enabled()
vg.set_default_tensor_type(vg.FloatTensor)

# types of tensors, and storages
vg.BFloat16Tensor([1, 2])
vg.BoolTensor([1, 0])
vg.ByteTensor([1, 2])
vg.CharTensor([1, 2])
vg.DoubleTensor([1, 2])
vg.FloatTensor([1, 2])
vg.HalfTensor([1, 2])
vg.IntTensor([1, 2])
vg.LongTensor([1, 2])
vg.ShortTensor([1, 2])
vg.UntypedStorage(4).nbytes()
vg.TypedStorage([1.0, 2.0]).size()
vg.BFloat16Storage([1, 0]).dtype
vg.BoolStorage([1, 0]).dtype
vg.ByteStorage([1, 0]).dtype
vg.CharStorage([1, 0]).dtype
vg.ComplexDoubleStorage([1, 0]).dtype
vg.ComplexFloatStorage([1, 0]).dtype
vg.DoubleStorage([1, 0]).dtype
vg.FloatStorage([1, 0]).dtype
vg.HalfStorage([1, 0]).dtype
vg.IntStorage([1, 0]).dtype
vg.LongStorage([1, 0]).dtype
vg.ShortStorage([1, 0]).dtype
