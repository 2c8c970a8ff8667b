# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import unittest

import numpy as np
from definition import attend, close, close_lse, problem, random

import fa_attention


def swapped(x):
    return np.ascontiguousarray(x.transpose(0, 2, 1, 3))


class Attention(unittest.TestCase):
    def check(self, q, k, v, **options):
        o, lse = fa_attention.attention(q, k, v, return_lse=True, **options)
        expected, expected_lse = attend(q, k, v, **options)
        close(o, expected)
        close_lse(lse, expected_lse)

    def test_plain(self):
        q, k, v = problem()
        o = fa_attention.attention(q, k, v)
        self.assertEqual((o.shape, o.dtype), (q.shape, q.dtype))
        close(o, attend(q, k, v)[0])

    def test_masks(self):
        q, k, v = problem()
        self.check(q, k, v, causal=True)
        self.check(q, k, v, causal=True, alignment="top_left")
        self.check(q, k, v, window=(3, 0))
        self.check(q, k, v, window=(0, None), alignment="top_left")
        self.check(q, k, v, mask=random(5, 2, 1, 33, 70) > 0)

    def test_rows_without_a_key(self):
        q, k, v = problem(queries=40, keys=8)
        self.check(q, k, v, causal=True)
        mask = np.zeros((1, 1, 1, 8), bool)
        o, lse = fa_attention.attention(q, k, v, mask=mask, return_lse=True)
        self.assertFalse(o.any())
        self.assertTrue((lse == -np.inf).all())

    def test_scales(self):
        q, k, v = problem()
        for scale in (0.25, 0, -0.5, np.float32(0.5)):
            self.check(q, k, v, scale=scale)

    def test_scores(self):
        q, k, v = problem()
        slopes = np.array([0.5, 0.25, 0.125, 0.0625], np.float32)
        self.check(q, k, v, softcap=2.0)
        self.check(q, k, v, alibi_slopes=slopes, causal=True)
        self.check(q, k, v, softcap=2.0, bias=random(7, 4, 33, 70), alibi_slopes=slopes)
        self.check(q, k, v, bias=random(8, 2, 1, 1, 70, dtype=np.float32))
        self.check(q, k, v, sink=random(9, 4, dtype=np.float32))

    def test_lengths(self):
        q, k, v = problem()
        lengths = np.array([70, 11], np.int32)
        v[1, :, 11:] = np.nan  # what does not exist is not looked at
        expected = attend(q, k, np.nan_to_num(v), kv_lengths=lengths)[0]
        close(fa_attention.attention(q, k, v, kv_lengths=lengths), expected)
        q_lengths = np.array([33, 2], np.int32)
        o = fa_attention.attention(q, k, v, kv_lengths=lengths, q_lengths=q_lengths)
        close(o[1, :, :2], expected[1, :, :2])
        self.assertFalse(o[1, :, 2:].any())

    def test_layouts(self):
        q, k, v = problem(v_dim=32)
        o, lse = fa_attention.attention(swapped(q), swapped(k), swapped(v), layout="bshd", causal=True, return_lse=True)
        expected, expected_lse = attend(q, k, v, causal=True)
        self.assertEqual(o.shape, (2, 33, 4, 32))
        close(o, swapped(expected))
        close_lse(lse, expected_lse)

    def test_packed(self):
        q, k, v = problem(batch=1, queries=50, keys=60)
        q_offsets, kv_offsets = np.array([0, 20, 50], np.int32), np.array([0, 25, 60], np.int32)
        packed = [x[0].transpose(1, 0, 2).copy() for x in (q, k, v)]
        o, lse = fa_attention.attention(
            *packed, layout="packed", q_offsets=q_offsets, kv_offsets=kv_offsets, causal=True, return_lse=True
        )
        for i in range(2):
            rows, keys = slice(*q_offsets[i : i + 2]), slice(*kv_offsets[i : i + 2])
            expected, expected_lse = attend(q[:, :, rows], k[:, :, keys], v[:, :, keys], causal=True)
            close(o[rows].transpose(1, 0, 2), expected[0])
            close_lse(lse[:, rows], expected_lse[0])

    def test_strides_and_outputs(self):
        q, k, v = problem()
        wide = np.zeros((2, 4, 66, 80), np.float16)
        view = wide[:, :, ::2, 8:72]
        out = np.zeros((2, 4, 33, 64), np.float32)
        lse = np.zeros((2, 4, 33), np.float32)
        view[...] = q
        o = fa_attention.attention(view, k, v, out=out, lse_out=lse)
        self.assertIs(o, out)
        expected, expected_lse = attend(q, k, v)
        close(out, expected)
        close_lse(lse, expected_lse)

    def test_repeated_batch(self):
        q, k, v = problem()
        one = np.broadcast_to(k[:1], k.shape)  # stride 0, and read-only
        close(fa_attention.attention(q, one, v), attend(q, one, v)[0])

    def test_no_queries_or_keys(self):
        q, k, v = problem()
        self.assertEqual(fa_attention.attention(q[:, :, :0], k, v).shape, (2, 4, 0, 64))
        self.assertFalse(fa_attention.attention(q, k[:, :, :0], v[:, :, :0]).any())


if __name__ == "__main__":
    unittest.main()
