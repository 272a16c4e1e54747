"""Matrix products in 16 bits."""

from __future__ import annotations

from pathlib import Path

import tensorflow as tf

CPU_INFO = Path("/proc/cpuinfo")  # Linux alone has it


def use_mixed_precision() -> str | None:
    """Compile from now on with products in 16 bits, where that is faster.

    Returns:
        "float16" with a GPU, "bfloat16" on a processor that gains by it, else None: all stays float32.
    """
    if tf.config.list_physical_devices("GPU"):
        tf.config.optimizer.set_experimental_options({"auto_mixed_precision": True})
        return "float16"
    if CPU_INFO.exists() and gains_by_bfloat16(CPU_INFO.read_text(encoding="utf-8")):
        use_bfloat16(True)
        return "bfloat16"
    return None


def use_bfloat16(on: bool) -> None:
    """Compile from now on with the processor's products in bfloat16, or in float32."""
    tf.config.optimizer.set_experimental_options({"auto_mixed_precision_onednn_bfloat16": on})


def gains_by_bfloat16(cpu_info: str) -> bool:
    """Whether a processor, as /proc/cpuinfo describes it, multiplies bfloat16 faster than float32.

    Decided by its kind, not by a trial, so that a killed training goes on in the same numbers. AVX-512's bfloat16
    is fast on AMD's; an Intel Xeon without AMX was measured at 0.6 times the speed of its float32.
    """
    words = set(cpu_info.split())
    return "amx_bf16" in words or {"avx512_bf16", "AuthenticAMD"} <= words
