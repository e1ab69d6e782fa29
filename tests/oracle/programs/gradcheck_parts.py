"""In which order gradcheck looks at the parts of complex outputs."""

from tests.oracle.registry import program

IMAGINARY = "considering the imaginary part of complex outputs only, Jacobian mismatch"
REAL = "considering the real part of complex outputs only, Jacobian mismatch"


def checked(torch, real, imaginary, plain=1, first=False, **options):
    """A Function with a complex and a real output, whose backward has these factors; 1, 2, 1 are right."""

    class Parts(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            outputs = torch.complex(x * 1, x * 2), x * 1
            return outputs[::-1] if first else outputs

        @staticmethod
        def backward(ctx, *grads):
            of_complex, of_real = grads[::-1] if first else grads
            return of_complex.real * real + of_complex.imag * imaginary + of_real * plain

    x = torch.tensor([0.3, 0.7], dtype=torch.float64, requires_grad=True)
    return torch.autograd.gradcheck(Parts.apply, (x,), **options)


@program(rules="Y-22", each=("slow", "fast"))
def the_imaginary_part_is_looked_at_first(torch, see, mode):
    fast = {"fast_mode": mode == "fast"}
    see("right", checked(torch, 1, 2, **fast), expect=True)
    see.raises("both are wrong", lambda: checked(torch, 5, 7, **fast), phrase=IMAGINARY)
    see.raises("the imaginary one is", lambda: checked(torch, 1, 7, **fast), phrase=IMAGINARY)
    see.raises("the real one is", lambda: checked(torch, 5, 2, **fast), phrase=REAL)


@program(rules="Y-22")
def real_outputs_are_looked_at_beside_imaginary_parts(torch, see):
    plain = "for output 0 with respect to input 0"
    for name, real, imaginary in (("imaginary", 1, 7), ("real", 5, 2)):
        see.raises(
            f"a real output before a wrong {name} part",
            lambda r=real, i=imaginary: checked(torch, r, i, plain=3, first=True),
            phrase=plain,
        )
    see.raises("behind an imaginary part", lambda: checked(torch, 1, 7, plain=3), phrase=IMAGINARY)
    see.raises(
        "and before a real part",
        lambda: checked(torch, 5, 2, plain=3),
        phrase="for output 1 with respect to input 0",
    )


@program(rules="Y-22")
def a_gradient_that_is_not_holomorphic(torch, see):
    class Conjugated(torch.autograd.Function):
        @staticmethod
        def forward(ctx, z):
            return z * 2

        @staticmethod
        def backward(ctx, grad):
            return grad.conj() * 2

    z = torch.tensor([0.3 + 0.1j], dtype=torch.complex128, requires_grad=True)
    see.raises(
        "conjugate", lambda: torch.autograd.gradcheck(Conjugated.apply, (z,)), phrase=IMAGINARY
    )
