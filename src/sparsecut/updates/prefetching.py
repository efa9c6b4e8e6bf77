"""Ask for memory before it is read: rows in no order are too many for any cache, and the processor waits for each."""

from __future__ import annotations

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic


def _prefetch(typing: Any, array: Any, place: Any) -> Any:

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        number, byte = ir.IntType(32), ir.IntType(8).as_pointer()
        function = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        hint = builder.module.declare_intrinsic("llvm.prefetch", [byte], function)
        address = builder.bitcast(builder.gep(data, [arguments[1]]), byte)
        builder.call(hint, [address, *(ir.Constant(number, value) for value in (1, 3, 1))])  # to write, near, data
        return context.get_dummy_value()

    return types.void(array, place), generate


prefetch: Any = intrinsic(_prefetch)
"""`prefetch(array, place)` in compiled loops: ask for the line of memory in which `array.ravel()[place]` stands.

A place that is not there does no harm.
"""
