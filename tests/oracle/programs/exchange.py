"""Memory that other libraries share: DLPack."""

import numpy as np

from tests.oracle.registry import program

TYPES = ["bool", "uint8", "int64", "float16", "bfloat16", "float8_e5m2", "complex64"]


@program(rules="T-7", each={name: (name,) for name in TYPES})
def a_capsule_is_read_once(torch, see, name):
    x = torch.tensor([1.0, 2.0, 0.0]).to(getattr(torch, name))
    capsule = torch.utils.dlpack.to_dlpack(x)
    y = torch.utils.dlpack.from_dlpack(capsule)
    see("type", str(y.dtype).split(".")[-1], expect=name)
    see("same memory", y.data_ptr() == x.data_ptr(), expect=True)
    see.raises("again", lambda: torch.from_dlpack(capsule), phrase="can be consumed only once")


@program(rules="T-7")
def numpy_and_tensors_share(torch, see):
    x = torch.arange(6.0).reshape(2, 3)
    array = np.from_dlpack(x.T)
    array[0, 1] = 9
    see("written by numpy", x)
    y = torch.from_dlpack(array)
    see("strides", y.stride(), expect=(1, 3))
    y.mul_(2)
    see("written by a tensor", x)
    see("counted on neither", (x._version, y._version), expect=(0, 1))
    see("device", tuple(int(n) for n in x.__dlpack_device__()), expect=(1, 0))
    z = torch.from_dlpack(array, copy=True)
    z.zero_()
    see("a copy is apart", x)
    see(
        "named device",
        torch.from_dlpack(array, device="cpu", copy=False).data_ptr() == x.data_ptr(),
    )
    see("as values", torch.as_tensor(x.T)[0])
    with torch.inference_mode():
        see("in inference mode", torch.from_dlpack(array).is_inference(), expect=True)


@program(rules="T-7")
def what_is_refused(torch, see):
    x = torch.ones(2, requires_grad=True)
    see.raises("grad", x.__dlpack__, phrase="Can't export tensors that require gradient")
    see.raises("by numpy", lambda: np.from_dlpack(x), phrase="require gradient")
    sparse = torch.eye(2).to_sparse()
    see.raises("sparse", sparse.__dlpack__, phrase="with layout other than torch.strided")
    see.raises("stream", lambda: torch.ones(2).__dlpack__(stream="a"), phrase="stream must be")
    see.raises(
        "CPU's", lambda: torch.ones(2).__dlpack__(stream=2), phrase="stream should be None on cpu"
    )
    capsule = torch.to_dlpack(torch.ones(2))
    see.raises(
        "options", lambda: torch.from_dlpack(capsule, copy=True), phrase="device and copy kwargs"
    )
    see.raises(
        "device", lambda: torch.from_dlpack(np.ones(2), device=0), phrase="unsupported device type"
    )
    see("of CUDA", hasattr(torch.ones(2), "__cuda_array_interface__"), expect=False)
