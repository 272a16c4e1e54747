from collections.abc import Iterator
from pathlib import Path

import pytest
import tensorflow as tf

from core.training import precision
from core.training.precision import gains_by_bfloat16, use_mixed_precision

ON_GPUS, ON_PROCESSORS = "auto_mixed_precision", "auto_mixed_precision_onednn_bfloat16"

# Lines of /proc/cpuinfo, shortened: an EPYC 9004, two Xeons (Sapphire Rapids, with and without AMX), an older one
AMD = "vendor_id\t: AuthenticAMD\nflags\t\t: fpu avx2 avx512f avx512_bf16\n"
INTEL_WITH_AMX = "vendor_id\t: GenuineIntel\nflags\t\t: fpu avx512f avx512_bf16 amx_bf16 amx_tile\n"
INTEL_WITHOUT = "vendor_id\t: GenuineIntel\nflags\t\t: fpu avx512f avx512_bf16\n"
OLDER_AMD = "vendor_id\t: AuthenticAMD\nflags\t\t: fpu avx2\n"


@pytest.fixture(autouse=True)
def float32_afterwards() -> Iterator[None]:
    yield
    tf.config.optimizer.set_experimental_options({ON_GPUS: False, ON_PROCESSORS: False})


@pytest.mark.parametrize(
    ("cpu_info", "gains"),
    [(AMD, True), (INTEL_WITH_AMX, True), (INTEL_WITHOUT, False), (OLDER_AMD, False), ("", False)],
)
def test_bfloat16_only_where_the_processor_gains_by_it(
    cpu_info: str, gains: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cpuinfo").write_text(cpu_info)
    monkeypatch.setattr(precision, "CPU_INFO", tmp_path / "cpuinfo")
    monkeypatch.setattr(tf.config, "list_physical_devices", lambda _: [])
    assert gains_by_bfloat16(cpu_info) is gains
    assert use_mixed_precision() == ("bfloat16" if gains else None)
    assert tf.config.optimizer.get_experimental_options().get(ON_PROCESSORS, False) is gains


def test_where_nothing_tells_of_the_processor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(precision, "CPU_INFO", tmp_path / "nothing")
    monkeypatch.setattr(tf.config, "list_physical_devices", lambda _: [])
    assert use_mixed_precision() is None


def test_float16_on_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tf.config, "list_physical_devices", lambda kind: [kind])
    assert use_mixed_precision() == "float16"
    assert tf.config.optimizer.get_experimental_options()[ON_GPUS] is True
