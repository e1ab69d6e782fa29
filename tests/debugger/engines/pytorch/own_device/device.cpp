// A device of PyTorch's ("own") on the memory of this machine, whose operations run the kernels of the CPU.
//
// PyTorch treats it as it treats a GPU: it has tensors of its own kind, an allocator, and a thread in which the
// engine runs the nodes of its tensors. There are no streams: all is done when a call returns.

#include <ATen/ATen.h>
#include <ATen/EmptyTensor.h>
#include <ATen/InferSize.h>
#include <ATen/TensorUtils.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <c10/core/impl/alloc_cpu.h>
#include <torch/library.h>

namespace {

using at::Tensor;
using c10::Device, c10::DeviceIndex, c10::DeviceType, c10::IntArrayRef, c10::Stream, c10::TensorImpl;
template <class T> using Maybe = std::optional<T>;

constexpr auto kOwn = DeviceType::PrivateUse1;
const Device own(kOwn, 0);

// --- what PyTorch asks of a device -----------------------------------------------------------------------

struct Guard final : c10::impl::DeviceGuardImplInterface {
  DeviceType type() const override { return kOwn; }
  Device exchangeDevice(Device) const override { return own; }
  Device getDevice() const override { return own; }
  void setDevice(Device) const override {}
  void uncheckedSetDevice(Device) const noexcept override {}
  DeviceIndex deviceCount() const noexcept override { return 1; }
  Stream getStream(Device) const override { return Stream(Stream::DEFAULT, own); }
  Stream getNewStream(Device, int) const override { return getStream(own); }
  Stream exchangeStream(Stream) const override { return getStream(own); }
  bool queryStream(const Stream&) const override { return true; }
  void synchronizeStream(const Stream&) const override {}
  void synchronizeDevice(const DeviceIndex) const override {}
  void record(void**, const Stream&, const DeviceIndex, const c10::EventFlag) const override {}
  void block(void*, const Stream&) const override {}
  bool queryEvent(void*) const override { return true; }
  void destroyEvent(void*, const DeviceIndex) const noexcept override {}
};
C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard);

struct Allocator final : c10::Allocator {
  c10::DataPtr allocate(size_t bytes) override {
    void* memory = bytes ? c10::alloc_cpu(bytes) : nullptr;
    return {memory, memory, raw_deleter(), own};
  }
  c10::DeleterFnPtr raw_deleter() const override {
    return [](void* memory) {
      if (memory) c10::free_cpu(memory);
    };
  }
  void copy_data(void* to, const void* from, size_t bytes) const override { default_copy_data(to, from, bytes); }
};
Allocator allocator;
REGISTER_ALLOCATOR(kOwn, &allocator);

struct Hooks final : at::PrivateUse1HooksInterface {
  bool hasPrimaryContext(DeviceIndex) const override { return true; }
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return true; }
  bool isPinnedPtr(const void*) const override { return false; }
  c10::Allocator* getPinnedMemoryAllocator() const override { return c10::GetCPUAllocator(); }
  Device getDeviceFromPtr(void*) const override { return own; }
};
const bool registered = (at::RegisterPrivateUse1HooksInterface(new Hooks), true);

// --- the kernels of the CPU --------------------------------------------------------------------------------

bool is_own(const Tensor& tensor) { return tensor.defined() && tensor.device().type() == kOwn; }

// The same memory as a tensor of the other device, which keeps it alive.
Tensor same_memory(const Tensor& tensor, DeviceType on) {
  auto from = tensor.storage();
  bool to_own = on == kOwn;
  c10::DataPtr data(
      from.mutable_data(), new c10::Storage(from), [](void* held) { delete static_cast<c10::Storage*>(held); },
      to_own ? own : Device(DeviceType::CPU));
  c10::Allocator* with = to_own ? static_cast<c10::Allocator*>(&allocator) : c10::GetCPUAllocator();
  c10::Storage storage(c10::Storage::use_byte_size_t(), from.nbytes(), std::move(data), with, true);
  auto key = to_own ? c10::DispatchKey::PrivateUse1 : c10::DispatchKey::CPU;
  auto made = at::detail::make_tensor<TensorImpl>(std::move(storage), c10::DispatchKeySet(key), tensor.dtype());
  made.unsafeGetTensorImpl()->set_sizes_and_strides(tensor.sizes(), tensor.strides(), tensor.storage_offset());
  return made;
}

Tensor on_cpu(const Tensor& tensor) { return is_own(tensor) ? same_memory(tensor, DeviceType::CPU) : tensor; }

// `tensor` has the memory, the shape and the strides of `other`, which is on the CPU.
void become(const Tensor& tensor, const Tensor& other) {
  auto impl = tensor.unsafeGetTensorImpl();
  impl->set_storage_keep_dtype(same_memory(other, kOwn).storage());
  impl->set_sizes_and_strides(other.sizes(), other.strides(), other.storage_offset());
}

template <class Change> void change_tensors(c10::IValue& value, Change change) {
  if (value.isTensor()) {
    value = change(value.toTensor());
  } else if (value.isTensorList()) {
    c10::List<Tensor> list;
    for (const auto& each : value.toTensorVector()) list.push_back(change(each));
    value = list;
  } else if (value.isOptionalTensorList()) {
    c10::List<Maybe<Tensor>> list;
    for (const auto& each : value.toOptionalTensorVector()) list.push_back(each ? Maybe<Tensor>(change(*each)) : each);
    value = list;
  }
}

// Any operation that has no kernel below.
void on_the_cpu(const c10::OperatorHandle& operation, torch::jit::Stack* stack) {
  std::vector<std::pair<Tensor, Tensor>> given;  // ours, the one for the CPU
  auto to_cpu = [&](const Tensor& tensor) {
    if (!is_own(tensor)) return tensor;
    for (auto& [ours, theirs] : given)
      if (ours.is_same(tensor)) return theirs;
    return given.emplace_back(tensor, on_cpu(tensor)).second;
  };
  for (auto at = stack->size() - operation.schema().arguments().size(); at < stack->size(); at++) {
    auto& value = (*stack)[at];
    change_tensors(value, to_cpu);
    if (value.isDevice() && value.toDevice() == own) value = c10::IValue(Device(DeviceType::CPU));
  }
  operation.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), stack);
  auto to_own = [&](const Tensor& tensor) {
    if (!tensor.defined() || !tensor.device().is_cpu()) return tensor;
    for (auto& [ours, theirs] : given)
      if (theirs.is_same(tensor)) {
        if (ours.sizes() != tensor.sizes() || ours.storage().data() != tensor.storage().data()) become(ours, tensor);
        return ours;
      }
    return same_memory(tensor, kOwn);
  };
  for (auto at = stack->size() - operation.schema().returns().size(); at < stack->size(); at++)
    change_tensors((*stack)[at], to_own);
}

// --- memory and views --------------------------------------------------------------------------------------

constexpr c10::DispatchKeySet kKeys(c10::DispatchKey::PrivateUse1);
using Dtype = Maybe<at::ScalarType>;
using Layout = Maybe<at::Layout>;

Tensor empty(IntArrayRef size, Dtype dtype, Layout, Maybe<Device>, Maybe<bool>, Maybe<at::MemoryFormat> format) {
  return at::detail::empty_generic(size, &allocator, kKeys, c10::dtype_or_default(dtype), format);
}

Tensor empty_strided(IntArrayRef size, IntArrayRef stride, Dtype dtype, Layout, Maybe<Device>, Maybe<bool>) {
  return at::detail::empty_strided_generic(size, stride, &allocator, kKeys, c10::dtype_or_default(dtype));
}

Tensor strided(const Tensor& tensor, IntArrayRef size, IntArrayRef stride, Maybe<int64_t> offset) {
  auto made = at::detail::make_tensor<TensorImpl>(
      TensorImpl::VIEW, c10::Storage(tensor.storage()), tensor.key_set(), tensor.dtype());
  made.unsafeGetTensorImpl()->set_sizes_and_strides(size, stride, offset.value_or(tensor.storage_offset()));
  return made;
}

Tensor view(const Tensor& tensor, IntArrayRef size) {
  auto shape = at::infer_size_dv(size, tensor.numel());
  auto stride = at::detail::computeStride(tensor.sizes(), tensor.strides(), shape);
  TORCH_CHECK(stride, "view size is not compatible with input tensor's size and stride");
  return strided(tensor, shape, *stride, std::nullopt);
}

Tensor alias(const Tensor& tensor) { return strided(tensor, tensor.sizes(), tensor.strides(), std::nullopt); }

Tensor reshape_alias(const Tensor& tensor, IntArrayRef size, IntArrayRef stride) {
  return strided(tensor, size, stride, std::nullopt);
}

Tensor& copy_(Tensor& to, const Tensor& from, bool) {
  on_cpu(to).copy_(on_cpu(from));
  return to;
}

Tensor copy_from(const Tensor& from, const Tensor& to, bool) {
  on_cpu(to).copy_(on_cpu(from));
  return to;
}

Tensor copy_from_and_resize(const Tensor& from, const Tensor& to) { return copy_from(from, to, false); }

at::Scalar local_scalar_dense(const Tensor& tensor) { return on_cpu(tensor).item(); }

const Tensor& resize_(const Tensor& tensor, IntArrayRef size, Maybe<at::MemoryFormat> format) {
  auto there = on_cpu(tensor);
  there.resize_(size, format);
  become(tensor, there);
  return tensor;
}

Tensor& set_(Tensor& tensor, at::Storage storage, int64_t offset, IntArrayRef size, IntArrayRef stride) {
  tensor.unsafeGetTensorImpl()->set_storage_keep_dtype(storage);
  tensor.unsafeGetTensorImpl()->set_sizes_and_strides(size, stride, offset);
  return tensor;
}

// --- what PyTorch does not hand to a fallback --------------------------------------------------------------

Tensor convolution(
    const Tensor& input, const Tensor& weight, const Maybe<Tensor>& bias, IntArrayRef stride, IntArrayRef padding,
    IntArrayRef dilation, bool transposed, IntArrayRef output_padding, int64_t groups) {
  auto with = bias && bias->defined() ? Maybe<Tensor>(on_cpu(*bias)) : std::nullopt;
  return same_memory(
      at::convolution(
          on_cpu(input), on_cpu(weight), with, stride, padding, dilation, transposed, output_padding, groups),
      kOwn);
}

std::tuple<Tensor, Tensor, Tensor> convolution_backward(
    const Tensor& gradient, const Tensor& input, const Tensor& weight, IntArrayRef stride, IntArrayRef padding,
    IntArrayRef dilation, bool transposed, IntArrayRef output_padding, int64_t groups, std::array<bool, 3> mask) {
  IntArrayRef bias = weight.sizes().slice(transposed ? 1 : 0, 1);
  auto [a, b, c] = at::convolution_backward(
      on_cpu(gradient), on_cpu(input), on_cpu(weight), bias, stride, padding, dilation, transposed, output_padding,
      groups, mask);
  auto ours = [](const Tensor& each) { return each.defined() ? same_memory(each, kOwn) : each; };
  return {ours(a), ours(b), ours(c)};
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, library) {
  library.fallback(torch::CppFunction::makeFromBoxedFunction<&on_the_cpu>());
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, library) {
  library.impl("empty.memory_format", empty);
  library.impl("empty_strided", empty_strided);
  library.impl("as_strided", strided);
  library.impl("view", view);
  library.impl("alias", alias);
  library.impl("_reshape_alias", reshape_alias);
  library.impl("copy_", copy_);
  library.impl("_copy_from", copy_from);
  library.impl("_copy_from_and_resize", copy_from_and_resize);
  library.impl("_local_scalar_dense", local_scalar_dense);
  library.impl("resize_", resize_);
  library.impl("set_.source_Storage_storage_offset", set_);
  library.impl("convolution_overrideable", convolution);
  library.impl("convolution_backward_overrideable", convolution_backward);
}

}  // namespace
