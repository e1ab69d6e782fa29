"""Storages: memory behind tensors as elements of one type, and as bytes."""

from tests.oracle.registry import program

TYPES = (
    "float32", "float64", "float16", "bfloat16", "uint8", "int8", "int16", "int32", "int64", "bool",
    "complex64", "complex128",
)  # fmt: skip

CLASSES = {
    "FloatStorage": "float32", "DoubleStorage": "float64", "HalfStorage": "float16",
    "BFloat16Storage": "bfloat16", "ByteStorage": "uint8", "CharStorage": "int8",
    "ShortStorage": "int16", "IntStorage": "int32", "LongStorage": "int64", "BoolStorage": "bool",
    "ComplexFloatStorage": "complex64", "ComplexDoubleStorage": "complex128",
}  # fmt: skip


def _name(thing):
    return str(thing).rpartition(".")[2]


@program(rules="Y-30")
def views_show_one_storage(torch, see):
    x = torch.arange(6.0)
    views = {
        "view": x.view(2, 3),
        "part": x[1:],
        "transposed": x.view(2, 3).t(),
        "wide": x[:1].expand(4),
    }
    for name, view in views.items():
        storage = view.storage()
        see(f"{name}: address", storage.data_ptr() == x.storage().data_ptr(), expect=True)
        see(f"{name}: elements", storage.tolist(), expect=[0, 1, 2, 3, 4, 5])
        see(f"{name}: length", (len(storage), storage.size(), storage.nbytes()), expect=(6, 6, 24))
    see("a copy", x.clone().storage().data_ptr() == x.storage().data_ptr(), expect=False)
    see("one element", (x[2:].storage()[0], x[2:].storage()[-1]), expect=(0.0, 5.0))
    see("in a loop", [*x[3:].storage()])
    see("of the offset", x[3:].storage()[x[3:].storage_offset()], expect=3.0)


@program(rules="Y-30", each=TYPES)
def storages_are_of_the_type_of_their_tensor(torch, see, dtype):
    x = torch.tensor([0, 1, 1, 0]).to(getattr(torch, dtype))
    storage = x.storage()
    see("dtype", _name(storage.dtype), expect=dtype)
    see("elements", storage.tolist())
    see("one", storage[1])
    see("size", (len(storage), storage.element_size(), storage.nbytes()))
    see("class", _name(storage.type()))
    see("class of the tensor", x.storage_type().__name__)
    see("bytes", storage.untyped().tolist())
    see("printed", repr(storage).split("\n")[:-1])
    see("in bytes, printed", repr(x.untyped_storage()).split("\n")[:-1])
    see("end", repr(storage).endswith(" of size 4]"), expect=True)


@program(rules="Y-30", each=CLASSES)
def classes_make_storages(torch, see, name):
    cls = getattr(torch, name)
    see("dtype", _name(cls.dtype), expect=CLASSES[name])
    made = cls([0, 1, 1])
    see("elements", made.tolist())
    see("an instance", isinstance(made, cls), expect=True)
    see("typed", isinstance(made, torch.TypedStorage), expect=True)
    others = [other for other in CLASSES if isinstance(made, getattr(torch, other))]
    see("instances", others, expect=[name])
    see("sizes", (len(cls(3)), len(cls())), expect=(3, 0))
    see("of a tensor", isinstance(torch.zeros(2, dtype=cls.dtype).storage(), cls), expect=True)


@program(rules="Y-30")
def writes_to_storages_reach_tensors(torch, see):
    x = torch.arange(4.0)
    storage = x[2:].storage()
    storage[0] = 9
    see("one", x, expect=[9, 1, 2, 3])
    storage[1:3] = 5
    see("several", x, expect=[9, 5, 5, 3])
    storage.copy_(torch.tensor([1.0, 2.0, 3.0, 4.0]).storage())
    see("copied", x, expect=[1, 2, 3, 4])
    storage.clone().fill_(7)
    see("a clone", x, expect=[1, 2, 3, 4])
    see("returned", storage.fill_(2) is storage, expect=True)
    see("filled", x, expect=[2, 2, 2, 2])
    see("versions", x._version)
    bytes_ = x.untyped_storage()
    bytes_[3], bytes_[2] = 65, 300
    see("bytes", (x.tolist(), bytes_.tolist()))
    bytes_.fill_(0)
    see("zeros", x, expect=[0, 0, 0, 0])


@program(rules="Y-30")
def bytes_are_read_by_index(torch, see):
    storage = torch.tensor([1, 258], dtype=torch.int16).untyped_storage()
    see("all", storage.tolist(), expect=[1, 0, 2, 1])
    see("in a loop", list(storage))
    see("one", (storage[0], storage[-1], type(storage[0]).__name__))
    part = storage[1:3]
    see("a part", (part.tolist(), len(part), part.data_ptr() - storage.data_ptr()))
    part[0] = 3
    see("shared", storage.tolist(), expect=[1, 3, 2, 1])
    see("sizes", (storage.size(), storage.nbytes(), storage.element_size(), storage.is_cuda))
    see("a clone", storage.clone().tolist())
    see("in order", torch.ones(2, 2).t().untyped_storage().tolist())
    see(
        "made",
        (
            torch.UntypedStorage([1, 2]).tolist(),
            len(torch.UntypedStorage(3)),
            len(torch.UntypedStorage()),
        ),
    )
    see.raises("outside", lambda: storage[4], phrase="out of range for storage of size 4")
    see.raises("a float", lambda: storage[1.5], phrase="can't index")
    see.raises("a step", lambda: storage[::2], phrase="step")
    see.raises("a float written", lambda: storage.__setitem__(0, 1.5), phrase="int types")
    see.raises(
        "of another size",
        lambda: storage.copy_(torch.UntypedStorage(3)),
        phrase="size does not match",
    )


@program(rules="Y-30")
def storages_are_told_from_other_things(torch, see):
    x = torch.ones(2)
    things = {"typed": x.storage(), "bytes": x.untyped_storage(), "tensor": x, "list": [1]}
    see("is_storage", {name: torch.is_storage(thing) for name, thing in things.items()})
    see("equal bytes", x.untyped_storage() == x.untyped_storage(), expect=True)
    see("equal elements", x.storage() == x.storage(), expect=False)
    see("hashes", hash(x.storage()) == hash(x.storage()), expect=True)
    see.raises("outside", lambda: x.storage()[2], phrase="out of range for storage of size 2")
    see.raises("a word", lambda: x.storage()["a"], phrase="can't index")
    see.raises(
        "a slice", lambda: x.storage()[:1], phrase="slices are only supported in UntypedStorage"
    )


@program(rules="Y-30")
def tensors_are_made_on_storages(torch, see):
    x = torch.arange(4.0)
    see("from its elements", torch.tensor(x.storage()))
    shared = torch.FloatTensor(x.storage())
    shared[0] = 8
    see("shared", x, expect=[8, 1, 2, 3])
    see("a region", torch.zeros(0).set_(x.storage(), 1, (2,), (2,)), expect=[1, 3])
    see("new", x.new(x.storage()))
    see.raises("another type", lambda: torch.zeros(0, dtype=torch.int64).set_(x.storage()))
    words = torch.TypedStorage(wrap_storage=x.untyped_storage(), dtype=torch.int32)
    see("read as another type", words.tolist())
    see("converted", (x.storage().double().tolist(), _name(x.storage().long().dtype)))
    see("with a type", torch.TypedStorage([1, 2], dtype=torch.int16).tolist())
    see.raises("wrapped without type", lambda: torch.TypedStorage(wrap_storage=x.untyped_storage()),
               phrase="dtype")  # fmt: skip


@program(rules="Y-30")
def sparse_tensors_have_no_one_storage(torch, see):
    sparse = torch.ones(2).to_sparse()
    see.raises("elements", sparse.storage, phrase="Cannot access storage of")
    see.raises("bytes", sparse.untyped_storage, phrase="Cannot access storage of")


@program(rules="Y-30")
def typed_storages_are_deprecated(torch, see):
    if torch.__name__ == "torch":  # it warns of this once, whatever `set_warn_always` says
        import torch.storage as storages

        storages._set_always_warn_typed_storage_removal(True)
    try:
        x = torch.ones(2)
        see.warns("a tensor's", x.storage, phrase="TypedStorage is deprecated")
        see.warns("a new one", lambda: torch.FloatStorage(2), phrase="TypedStorage is deprecated")
        see.silent("bytes", lambda: x.untyped_storage().tolist())
    finally:
        if torch.__name__ == "torch":
            storages._set_always_warn_typed_storage_removal(False)
