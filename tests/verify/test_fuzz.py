from __future__ import annotations

from collections import Counter
from pathlib import Path

from tests.verify.fuzz import case, run

N = 600


def test_mutations_are_answered_or_refused(tmp_path: Path) -> None:
    results = Counter(run(i, str(tmp_path)) for i in range(N))
    assert set(results) <= {"ok", "found", "refused"}, "\n".join(r for r in results if "\n" in r)
    assert results["found"] > N // 2


def test_a_mutation_is_always_the_same() -> None:
    assert case(7) == case(7)
    assert case(7) != case(8)
