"""Products of one query with the columns of a block, and which of them count, in vector registers.

LLVM does not keep the sums of a loop over dimensions in registers by itself, nor turn comparisons
into a mask of bits; together that is most of the time of a search. So these two are written out.
Any machine runs them: LLVM splits what is wider than its registers.
"""

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

LANES = 8
FUSED = ("contract",)  # products and sums may be fused; nothing is reordered
VECTOR = ir.VectorType(ir.FloatType(), LANES)
INTEGERS = ir.VectorType(ir.IntType(32), LANES)
INDEX = ir.IntType(64)


def products_from(width: int) -> Any:
    """For kernels: (q (r,), blocks (n, r, width), b, floor, out (width,)) → mask of columns.

    out_c = |Σ_d q_d blocks_bdc|, each sum in the order of d; bit c says whether out_c ≥ floor.
    """

    @intrinsic
    def reach(typing_context, q, blocks, b, floor, out):
        def generate(context, builder, signature, args):
            q, blocks, out = _arrays(context, builder, signature, args)
            floor = _to_all(builder, args[3])
            sums = _products(builder, q, blocks, args[2], width)
            return _store(builder, sums, out, [floor] * len(sums))

        return types.int64(q, blocks, types.int64, types.float32, out), generate

    return reach


def within(width: int) -> Any:
    """For kernels: (q, axes (n, r, width), g, floor, height, cosines, sines, out) → mask.

    out_c = t = |⟨q, axis c⟩| of group g; bit c says whether t ≥ floor·cosφ − height·sinφ.
    """

    @intrinsic
    def reach(typing_context, q, axes, g, floor, height, cosines, sines, out):
        def generate(context, builder, signature, args):
            q, axes, cosines, sines, out = _arrays(context, builder, signature, args)
            floor, height = _to_all(builder, args[3]), _to_all(builder, args[4])
            sums = _products(builder, q, axes, args[2], width)
            start = builder.mul(args[2], ir.Constant(INDEX, width))
            floors = []
            for k in range(len(sums)):
                part = [_load(builder, builder.gep(a.data, [start]), k) for a in (cosines, sines)]
                fallen = builder.fmul(height, part[1], flags=FUSED)
                reached = builder.fmul(floor, part[0], flags=FUSED)
                floors.append(builder.fsub(reached, fallen, flags=FUSED))
            return _store(builder, sums, out, floors)

        numbers = types.int64, types.float32, types.float32
        return types.int64(q, axes, *numbers, cosines, sines, out), generate

    return reach


def _arrays(context: Any, builder: Any, signature: Any, args: Any) -> list[Any]:
    return [
        context.make_array(kind)(context, builder, value)
        for kind, value in zip(signature.args, args, strict=True)
        if isinstance(kind, types.Array)
    ]


def _to_all(builder: Any, number: Any) -> Any:
    undefined = ir.Constant(VECTOR, ir.Undefined)
    one = builder.insert_element(undefined, number, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(one, undefined, ir.Constant(INTEGERS, [0] * LANES))


def _part(builder: Any, start: Any, k: int) -> Any:
    at = builder.gep(start, [ir.Constant(INDEX, LANES * k)])
    return builder.bitcast(at, VECTOR.as_pointer())


def _load(builder: Any, start: Any, k: int) -> Any:
    return builder.load(_part(builder, start, k), align=4)


def _products(builder: Any, q: Any, blocks: Any, b: Any, width: int) -> list[Any]:
    size = ir.Constant(INDEX, width)
    sums = [cgutils.alloca_once(builder, VECTOR) for _ in range(width // LANES)]
    for total in sums:
        builder.store(ir.Constant(VECTOR, [0.0] * LANES), total)
    n_dimensions = cgutils.unpack_tuple(builder, blocks.shape, 3)[1]
    block = builder.gep(blocks.data, [builder.mul(builder.mul(b, n_dimensions), size)])
    with cgutils.for_range(builder, n_dimensions) as loop:
        factor = _to_all(builder, builder.load(builder.gep(q.data, [loop.index])))
        row = builder.gep(block, [builder.mul(loop.index, size)])
        for k, total in enumerate(sums):
            product = builder.fmul(factor, _load(builder, row, k), flags=FUSED)
            builder.store(builder.fadd(builder.load(total), product, flags=FUSED), total)
    without_sign = ir.Constant(INTEGERS, [0x7FFFFFFF] * LANES)
    bits = [builder.bitcast(builder.load(total), INTEGERS) for total in sums]
    return [builder.bitcast(builder.and_(b, without_sign), VECTOR) for b in bits]


def _store(builder: Any, sums: list[Any], out: Any, floors: list[Any]) -> Any:
    mask = ir.Constant(INDEX, 0)
    for k, (total, floor) in enumerate(zip(sums, floors, strict=True)):
        builder.store(total, _part(builder, out.data, k), align=4)
        bits = builder.bitcast(builder.fcmp_ordered(">=", total, floor), ir.IntType(LANES))
        bits = builder.shl(builder.zext(bits, INDEX), ir.Constant(INDEX, LANES * k))
        mask = builder.or_(mask, bits)
    return mask


@intrinsic
def _lowest_bit(typing_context, mask):
    """Place of the lowest bit that is set, for kernels."""

    def generate(context, builder, signature, args):
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), generate


lowest_bit: Any = _lowest_bit
