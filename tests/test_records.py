"""Records: distinct rows of integers, numbered and found again, whatever the integers are."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gops_lab.induction.records import Records

LARGEST = 2**63 - 1
# Few different numbers, so that rows repeat, and the largest there are, so that products overflow.
ENTRIES = st.sampled_from([-LARGEST - 1, -3, -1, 0, 1, 2, 2**40, LARGEST])
ROWS = st.lists(st.tuples(ENTRIES, ENTRIES, ENTRIES), max_size=30)


def columns(rows):
    return list(np.array(rows, np.int64).reshape(-1, 3).T)


@settings(deadline=None, max_examples=100, derandomize=True)
@given(ROWS, ROWS)
def test_rows_are_distinct_sorted_and_found_again(rows, others):
    records, numbers = Records.from_rows(columns(rows))
    kept = [tuple(row) for row in np.array(records.columns).T.tolist()]
    assert kept == sorted(set(rows))
    assert len(records) == len(kept)
    assert [kept[number] for number in numbers] == rows
    found = records.locate(columns([*rows, *others])).tolist()
    assert found == [kept.index(row) if row in kept else -1 for row in [*rows, *others]]


def test_a_row_made_of_known_numbers_need_not_be_known():
    records, _ = Records.from_rows(columns([(1, 1, 1), (2, 2, 2), (1, 2, 1)]))
    asked = [(1, 1, 2), (2, 1, 1), (2, 2, 1), (1, 2, 1), (3, 1, 1)]
    assert records.locate(columns(asked)).tolist() == [-1, -1, -1, 1, -1]


@pytest.mark.parametrize("count", [0, 4])
def test_no_rows(count):
    records, numbers = Records.from_rows(columns([]))
    assert (len(records), len(numbers)) == (0, 0)
    assert records.locate(columns([(0, 0, 0)] * count)).tolist() == [-1] * count
