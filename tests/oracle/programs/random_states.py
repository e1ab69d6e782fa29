"""States of generators: bytes, which a program keeps and goes back to."""

from tests.oracle.registry import program


@program(rules="T-30")
def a_state_is_a_tensor_of_bytes(torch, see):
    torch.manual_seed(3)
    torch.randn(3)
    state = torch.get_rng_state()
    see("type", str(state.dtype).split(".")[-1], expect="uint8")
    see("rank", state.dim(), expect=1)
    see("on the CPU", state.device.type, expect="cpu")
    drawn = [torch.rand(2), torch.randn(3), torch.randint(0, 9, (4,)), torch.randperm(5)]
    torch.set_rng_state(state.clone())
    again = [torch.rand(2), torch.randn(3), torch.randint(0, 9, (4,)), torch.randperm(5)]
    see("again", all(torch.equal(a, b) for a, b in zip(drawn, again, strict=True)), expect=True)
    torch.random.set_rng_state(state)
    see("same state", torch.equal(torch.get_rng_state(), state), expect=True)
    see("seed", torch.initial_seed(), expect=3)


@program(rules="T-30")
def a_generators_state(torch, see):
    g = torch.Generator()
    g.manual_seed(11)
    torch.rand(5, generator=g)
    state = g.get_state()
    see("returns itself", g.set_state(state) is g, expect=True)
    other = torch.Generator()
    other.set_state(state)
    see(
        "another",
        torch.equal(torch.rand(3, generator=g), torch.rand(3, generator=other)),
        expect=True,
    )
    see("its seed", other.initial_seed(), expect=11)
    clone = g.clone_state()
    see(
        "a clone",
        torch.equal(torch.rand(3, generator=g), torch.rand(3, generator=clone)),
        expect=True,
    )
    see(
        "apart",
        torch.equal(torch.rand(3, generator=g), torch.rand(3, generator=other)),
        expect=False,
    )


@program(rules="T-30")
def what_is_no_state(torch, see):
    g = torch.Generator()
    for name, fn in (("default", torch.set_rng_state), ("own", g.set_state)):
        see.raises(
            f"{name}: floats", lambda fn=fn: fn(torch.zeros(3)), phrase="RNG state must be a"
        )
        see.raises(f"{name}: a dict", lambda fn=fn: fn({}), phrase="ByteTensor, but got dict")
        few = torch.zeros(3, dtype=torch.uint8)
        see.raises(f"{name}: few", lambda fn=fn: fn(few), phrase="input RNG state size to be 3")
