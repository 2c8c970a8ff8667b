# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fa_attention on torch tensors: on CUDA where there is a device, else on the CPU. torch_cases.py lists the kernels."""

import itertools
import shutil
import threading
import time
import unittest
import warnings

import torch
import torch.nn.functional as F

import fa_attention
from fa_attention import ArgumentError

CUDA = torch.cuda.is_available()
DEVICE = "cuda" if CUDA else "cpu"
# torch's own code generator needs a C compiler.
HAS_INDUCTOR = CUDA and any(shutil.which(name) for name in ("cc", "gcc", "clang"))
on_cuda = unittest.skipUnless(CUDA, "needs a CUDA device")


def random(*shape, dtype=torch.float16):
    return torch.randn(*shape, dtype=torch.float32, device=DEVICE).to(dtype)


def problem(batch=2, heads=4, kv_heads=2, queries=133, keys=270, dim=128, dtype=torch.float16):
    return (
        random(batch, heads, queries, dim, dtype=dtype),
        random(batch, kv_heads, keys, dim, dtype=dtype),
        random(batch, kv_heads, keys, dim, dtype=dtype),
    )


def scores(q, k):
    """In float32, with the key heads repeated."""
    k = k.float().repeat_interleave(q.shape[1] // k.shape[1], 1)
    return q.float() @ k.transpose(-1, -2) * q.shape[-1] ** -0.5


def finish(s, v):
    v = v.float().repeat_interleave(s.shape[1] // v.shape[1], 1)
    return s.softmax(-1).nan_to_num(0) @ v, s.logsumexp(-1)


def distance(s, bottom_right=True):
    """j - i - off"""
    i = torch.arange(s.shape[-2], device=s.device)[:, None]
    j = torch.arange(s.shape[-1], device=s.device)[None]
    return j - i - (s.shape[-1] - s.shape[-2] if bottom_right else 0)


def causal(s, bottom_right=True):
    return s.masked_fill(distance(s, bottom_right) > 0, float("-inf"))


class Case(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(1)

    def close(self, o, expected, limit=None):
        limit = limit or (5e-3 if o.dtype == torch.bfloat16 else 6e-4)
        error = ((o.float() - expected).norm() / expected.norm().clamp_min(1e-30)).item()
        self.assertLessEqual(error, limit)


class Attention(Case):
    def test_plain(self):
        q, k, v = problem()
        o = fa_attention.attention(q, k, v)
        self.assertEqual((o.dtype, o.device, o.shape), (q.dtype, q.device, q.shape))
        self.close(o, finish(scores(q, k), v)[0])
        q, k, v = problem(dim=64, dtype=torch.bfloat16)
        self.close(fa_attention.attention(q, k, v), finish(scores(q, k), v)[0])

    def test_masks(self):
        q, k, v = problem()
        self.close(fa_attention.attention(q, k, v, causal=True), finish(causal(scores(q, k)), v)[0])
        o = fa_attention.attention(q, k, v, causal=True, alignment="top_left")
        self.close(o, finish(causal(scores(q, k), False), v)[0])
        o, lse = fa_attention.attention(q, k, v, window=(100, 0), return_lse=True)
        s = scores(q, k)
        expected, expected_lse = finish(s.masked_fill((distance(s) > 0) | (distance(s) < -100), float("-inf")), v)
        self.close(o, expected)
        self.assertLess((lse - expected_lse).abs().max(), 1e-3)
        mask = torch.rand(2, 1, 133, 270, device=DEVICE) > 0.3
        s = scores(q, k).masked_fill(~mask, float("-inf"))
        self.close(fa_attention.attention(q, k, v, mask=mask), finish(s, v)[0])

    def test_other_head_dims(self):
        for dim in (64, 256):
            q, k, v = problem(dim=dim)
            self.close(fa_attention.attention(q, k, v, causal=True), finish(causal(scores(q, k)), v)[0])

    def test_scores(self):
        q, k, v = problem()
        o, lse = fa_attention.attention(q, k, v, softcap=20.0, return_lse=True)
        expected, expected_lse = finish(20 * (scores(q, k) / 20).tanh(), v)
        self.close(o, expected)
        self.assertLess((lse - expected_lse).abs().max(), 1e-3)
        slopes = torch.tensor([0.5, 0.25, 0.125, 0.0625], device=DEVICE)
        s = scores(q, k)
        s = causal(s + slopes[:, None, None] * distance(s, False))
        self.close(fa_attention.attention(q, k, v, causal=True, alibi_slopes=slopes), finish(s, v)[0])
        bias = random(4, 133, 270)
        self.close(fa_attention.attention(q, k, v, bias=bias), finish(scores(q, k) + bias.float(), v)[0])
        sink = torch.randn(4, device=DEVICE)
        column = sink[None, :, None, None].expand(2, 4, 133, 1)
        s = torch.cat([scores(q, k), column], -1)
        self.close(fa_attention.attention(q, k, v, sink=sink), finish(s, F.pad(v, (0, 0, 0, 1)))[0])

    def test_lengths(self):
        q, k, v = problem()
        lengths = torch.tensor([270, 111], dtype=torch.int32, device=DEVICE)
        o, lse = fa_attention.attention(q, k, v, kv_lengths=lengths, return_lse=True)
        s = scores(q, k)
        s[1, :, :, 111:] = float("-inf")
        self.close(o, finish(s, v)[0])

    def test_packed(self):
        q, k, v = problem(batch=1)
        offsets = torch.tensor([0, 50, 133], dtype=torch.int32, device=DEVICE)
        kv_offsets = torch.tensor([0, 100, 270], dtype=torch.int32, device=DEVICE)
        packed = [x[0].transpose(0, 1).contiguous() for x in (q, k, v)]
        o = fa_attention.attention(*packed, layout="packed", q_offsets=offsets, kv_offsets=kv_offsets, causal=True)
        first = finish(causal(scores(q[:, :, :50], k[:, :, :100])), v[:, :, :100])[0]
        self.close(o[:50].transpose(0, 1), first[0])

    def test_layout_strides_and_outputs(self):
        q, k, v = problem()
        expected, expected_lse = finish(scores(q, k), v)
        swapped = [x.transpose(1, 2) for x in (q, k, v)]  # bshd sizes in bhsd memory
        self.close(fa_attention.attention(*swapped, layout="bshd").transpose(1, 2), expected)
        out = torch.zeros(2, 4, 133, 256, dtype=torch.float16, device=DEVICE)[..., 64:192]
        lse = torch.zeros(2, 4, 133, device=DEVICE)
        self.assertIs(fa_attention.attention(q, k, v, out=out, lse_out=lse), out)
        self.close(out, expected)
        self.assertLess((lse - expected_lse).abs().max(), 1e-3)
        wide = torch.zeros(2, 4, 133, 128, device=DEVICE)
        self.close(fa_attention.attention(q, k, v, out=wide), expected)
        # Addresses that are no multiples of 16 bytes: the plain kernel.
        odd = torch.zeros(q.numel() + 1, dtype=q.dtype, device=DEVICE)[1:].view(q.shape).copy_(q)
        for _ in range(2):
            self.close(fa_attention.attention(odd, k, v), expected)

    def test_outputs_of_later_calls(self):
        """What the short way allocates is what the long way does."""
        q, k, v = problem()
        first, again = (fa_attention.attention(q, k, v, return_lse=True) for _ in range(2))
        with torch.inference_mode():
            inference = fa_attention.attention(q, k, v, return_lse=True)
        for x, y, z in zip(first, again, inference):
            self.assertEqual((y.dtype, y.device, y.shape, y.stride()), (x.dtype, x.device, x.shape, x.stride()))
            self.assertEqual((y.is_inference(), z.is_inference()), (False, True))
            self.assertTrue(torch.equal(x, y) and torch.equal(x, z))

    def test_again_with_other_values(self):
        for _ in range(3):
            q, k, v = problem()
            self.close(fa_attention.attention(q, k, v), finish(scores(q, k), v)[0])
            self.close(fa_attention.attention(q, k, v, out=torch.empty_like(q)), finish(scores(q, k), v)[0])

    def test_kinds_in_turns(self):
        """Calls that differ in sizes, strides, type and torch's mode alone, each right behind each other one."""
        kinds = [problem(), problem(queries=70), problem(keys=33), problem(dim=64, dtype=torch.bfloat16)]
        q, k, v = problem()
        kinds.append((q.transpose(1, 2).contiguous().transpose(1, 2), k, v))
        kinds.append((q, k[:1].expand_as(k), v))
        kinds.append((q, k, k))
        for first, second in itertools.product(kinds, repeat=2):
            for (q, k, v), mode in itertools.product((first, second), (torch.no_grad, torch.inference_mode)):
                with mode():
                    expected = finish(scores(q, k), v)[0]
                    self.close(fa_attention.attention(q, k, v), expected)
                    self.close(fa_attention.attention(q, k, v, out=torch.empty_like(q)), expected)

    def test_threads(self):
        q, k, v = problem()
        expected, results = finish(scores(q, k), v)[0], []
        threads = [threading.Thread(target=lambda: results.append(fa_attention.attention(q, k, v))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(results), 4)
        for o in results:
            self.close(o, expected)

    def bad(self, text, *tensors, **options):
        with self.assertRaises(ArgumentError) as raised:
            fa_attention.attention(*tensors, **options)
        self.assertIn(text, str(raised.exception))

    def test_bad_calls(self):
        q, k, v = problem()
        self.bad("q: expects elements of f16 or bf16, got f32", q.float(), k, v)
        self.bad("k: expects elements of f16, got bf16", q, k.bfloat16(), v)
        self.bad("q: expects stride 1 in the last dimension", q.transpose(2, 3).contiguous().transpose(2, 3), k, v)
        self.bad("q: expects a tensor on the CPU or a CUDA device, got one on meta", q.to("meta"), k, v)
        self.bad("q: expects a dense tensor", q[0, 0].to_sparse(), k, v)
        self.bad("k: expects a tensor that needs no gradient", q, k.requires_grad_(), v)
        with torch.no_grad():
            fa_attention.attention(q, k, v)
        self.bad("v: expects a torch tensor, a numpy array or an object with __dlpack__, got list", q, k.detach(), [v])
        self.bad("out: overlaps q", q, k.detach(), v, out=q)
        fa_attention.attention(q, k.detach(), v)
        self.bad(
            "out: expects a tensor that needs no gradient",
            q,
            k.detach(),
            v,
            out=torch.empty_like(q, requires_grad=True),
        )
        with self.assertRaisesRegex(ArgumentError, "q: expects a tensor with memory of its own"):
            torch.func.vmap(lambda x: fa_attention.attention(x, k.detach(), v))(q.unsqueeze(0))
        fa_attention.attention(q, k.detach(), v, causal=True, window=[None, None])  # a list has no hash
        q.untyped_storage().resize_(0)
        self.bad("q: the data pointer is NULL", q, k.detach(), v)

    @on_cuda
    def test_several_devices(self):
        q, k, v = problem()
        self.bad("k: expects memory of cuda:0, as q, got the CPU", q, k.cpu(), v)
        self.bad("out: expects memory of cuda:0, as q, got the CPU", q, k, v, out=q.cpu())


class Graphs(Case):
    @on_cuda
    def test_capture(self):
        q, k, v = problem(queries=300, keys=500)
        out = torch.empty_like(q)
        fa_attention.attention(q, k, v, causal=True, out=out)  # prepares
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            fa_attention.attention(q, k, v, causal=True, out=out)
            twice = fa_attention.attention(out, k, v, causal=True)
        for _ in range(3):
            for x in (q, k, v):
                x.copy_(random(*x.shape))
            graph.replay()
            expected = finish(causal(scores(q, k)), v)[0]
            self.close(out, expected)
            self.close(twice, finish(causal(scores(out, k)), v)[0])

    @on_cuda
    def test_capture_of_a_new_shape_is_refused(self):
        q, k, v = problem(queries=311)
        with self.assertRaisesRegex(fa_attention.CaptureError, "prepare before the capture"):
            with torch.cuda.graph(torch.cuda.CUDAGraph()):
                fa_attention.attention(q, k, v)

    @on_cuda
    def test_streams(self):
        q, k, v = problem(queries=1024, keys=4096)
        expected = finish(scores(q, k), v)[0]
        torch.cuda.synchronize()
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            late = q * 0
            torch.cuda._sleep(10_000_000)
            late += q
            o = fa_attention.attention(late, k, v)  # behind the sleep only on the current stream
        other = fa_attention.attention(q, k, v, stream=stream)
        torch.cuda.synchronize()
        self.close(o, expected)
        self.close(other, expected)


class Compiled(Case):
    def compiled(self, function, backend):
        torch._dynamo.reset()
        return torch.compile(function, fullgraph=True, backend=backend, dynamic=False)

    def backends(self):
        return ("aot_eager", "inductor") if HAS_INDUCTOR else ("aot_eager",)

    def test_fullgraph(self):
        q, k, v = problem()
        expected = finish(causal(scores(q + 1, k)), v)[0]

        def model(q, k, v):
            return fa_attention.attention(q + 1, k, v, causal=True) * 2

        for backend in self.backends():
            with torch.no_grad():
                self.close(self.compiled(model, backend)(q, k, v), 2 * expected)

    def test_lse_and_layout(self):
        q, k, v = problem()
        expected, expected_lse = finish(causal(scores(q, k)), v)

        def model(q, k, v):
            o, lse = fa_attention.attention(
                q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), layout="bshd", causal=True, return_lse=True
            )
            return o.transpose(1, 2) + 0, lse + 0

        for backend in self.backends():
            o, lse = self.compiled(model, backend)(q, k, v)
            self.close(o, expected)
            self.assertLess((lse - expected_lse).abs().max(), 1e-3)

    def test_out_and_tensors(self):
        q, k, v = problem()
        lengths = torch.tensor([270, 111], dtype=torch.int32, device=DEVICE)

        def model(q, k, v, lengths, out, lse):
            fa_attention.attention(q, k, v, kv_lengths=lengths, out=out, lse_out=lse)
            return out + 1

        for backend in self.backends():
            out, lse = torch.empty_like(q), torch.empty(2, 4, 133, device=DEVICE)
            o = self.compiled(model, backend)(q, k, v, lengths, out, lse)
            expected = fa_attention.attention(q, k, v, kv_lengths=lengths, return_lse=True)[0]
            self.assertTrue(torch.equal(out, expected))
            self.assertTrue(torch.equal(o, expected + 1))

    def test_sizes_that_change(self):
        torch._dynamo.reset()
        model = torch.compile(
            lambda q, k, v: fa_attention.attention(q * 2, k, v, causal=True),
            fullgraph=True,
            backend="aot_eager",
            dynamic=True,
        )
        for queries in (70, 91, 133):
            q, k, v = problem(queries=queries)
            self.close(model(q, k, v), finish(causal(scores(q * 2, k)), v)[0])

    def test_op(self):
        q, k, v = problem(dim=64, dtype=torch.bfloat16)
        arguments = (q, k, v, [], False, None, None, "bottom_right", None, None, "bhsd", False)
        torch.library.opcheck(
            torch.ops.fa_attention.attention, arguments, test_utils=("test_schema", "test_faketensor")
        )

    def test_fake_tensors(self):
        from torch._subclasses.fake_tensor import FakeTensorMode

        with FakeTensorMode():
            q, k = torch.empty(2, 4, 133, 64, device=DEVICE), torch.empty(2, 2, 50, 64, device=DEVICE)
            o, lse = fa_attention.attention(q, k, torch.empty(2, 2, 50, 32, device=DEVICE), return_lse=True)
        self.assertEqual((o.shape, lse.shape), ((2, 4, 133, 32), (2, 4, 133)))

    def test_gradients_are_refused(self):
        q, k, v = problem()
        q.requires_grad_()
        with self.assertRaisesRegex(Exception, "forward only"):
            self.compiled(lambda q, k, v: fa_attention.attention(q, k, v), "aot_eager")(q, k, v)

    @on_cuda
    def test_cuda_graphs_of_torch(self):
        q, k, v = problem()
        torch._dynamo.reset()
        how = {"mode": "reduce-overhead"} if HAS_INDUCTOR else {"backend": "cudagraphs"}
        model = torch.compile(
            lambda q, k, v: fa_attention.attention(q * 2, k, v, causal=True) + 1, fullgraph=True, **how
        )
        with torch.no_grad():
            for _ in range(4):
                o = model(q, k, v).clone()
        self.close(o, finish(causal(scores(q * 2, k)), v)[0] + 1)


class Sdpa(Case):
    def both(self, *tensors, ours=True, **options):
        """Torch's result in float32, and the replaced function's; `ours`: whether it is to be our kernel's."""
        options32 = {
            n: x.float() if isinstance(x, torch.Tensor) and x.is_floating_point() else x for n, x in options.items()
        }
        expected = F.scaled_dot_product_attention(*(x.float() for x in tensors), **options32)
        before = F.scaled_dot_product_attention
        with fa_attention.replace_sdpa(), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            fa_attention._errors._told.clear()
            for _ in range(2):
                o = F.scaled_dot_product_attention(*tensors, **options)
        self.assertIs(F.scaled_dot_product_attention, before)
        texts = [str(w.message) for w in caught if w.category is fa_attention.FallbackNote]
        self.assertEqual(len(texts), 0 if ours else 1, texts)
        self.close(o, expected, limit=1e-3)
        return texts

    def test_ours(self):
        q, k, v = problem(kv_heads=4)
        self.both(q, k, v)
        self.both(q, k, v, is_causal=True)
        self.both(q[:, 0], k[:, 0], v[:, 0])
        self.both(q, k[:, :2], v[:, :2], enable_gqa=True)
        self.both(q, k, v, attn_mask=torch.rand(133, 270, device=DEVICE) > 0.5)
        self.both(q, k, v, attn_mask=random(2, 1, 133, 270))

    def test_torchs(self):
        q, k, v = problem(kv_heads=4)
        (text,) = self.both(q[..., :36], k[..., :36], v[..., :36], ours=False)
        self.assertIn("left to torch: head dim 36", text)
        self.both(q.float(), k.float(), v.float(), ours=False)
        self.both(q, k[:1], v[:1], ours=False)
        self.both(q.requires_grad_(), k, v, ours=False)
        with fa_attention.replace_sdpa(), self.assertRaisesRegex(fa_attention.FaError, "in place already"):
            with fa_attention.replace_sdpa():
                pass

    def test_in_a_model(self):
        layer = torch.nn.TransformerEncoderLayer(256, 2, 512, dropout=0.0, batch_first=True, norm_first=True)
        layer = layer.to(DEVICE, torch.float16).eval()
        x = random(2, 133, 256)
        with torch.inference_mode():
            torch.backends.mha.set_fastpath_enabled(False)
            expected = layer(x)
            with fa_attention.replace_sdpa(), warnings.catch_warnings():
                warnings.simplefilter("error", fa_attention.FallbackNote)
                self.close(layer(x), expected.float(), limit=3e-3)

    def test_compiled(self):
        q, k, v = problem(kv_heads=4)
        expected = F.scaled_dot_product_attention(q.float(), k.float(), v.float(), is_causal=True)
        torch._dynamo.reset()
        model = torch.compile(
            lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True), fullgraph=True, backend="aot_eager"
        )
        with fa_attention.replace_sdpa(), torch.no_grad():
            self.close(model(q, k, v), expected)


class Overhead(Case):
    def microseconds(self, call):
        """CPU time of this thread a call: the median of rounds short enough that no launch waits for the device."""
        rounds = []
        for _ in range(30):
            if CUDA:
                torch.cuda.synchronize()
            start = time.thread_time()
            for _ in range(200):
                call()
            rounds.append((time.thread_time() - start) / 200 * 1e6)
        return sorted(rounds)[len(rounds) // 2]

    def measure(self, q, k, v, out):
        into = self.microseconds(lambda: fa_attention.attention(q, k, v, out=out))
        fresh = self.microseconds(lambda: fa_attention.attention(q, k, v))
        both = self.microseconds(lambda: fa_attention.attention(q, k, v, return_lse=True))
        return into, fresh, both

    @unittest.skipIf(CUDA, "a CPU kernel runs in the caller's thread")
    def test_way_to_the_launch(self):
        from fa_attention import _torch

        q, k, v = problem(batch=1, heads=1, kv_heads=1, queries=64, keys=64)
        out = torch.empty_like(q)
        before = set(_torch._ready)
        self.measure(q, k, v, out)  # makes what is remembered of both calls
        kept = {key: _torch._ready[key] for key in set(_torch._ready) - before}
        try:
            for ready in kept.values():
                ready.launch = lambda *arguments: 0
            into, fresh, both = self.measure(q, k, v, out)
        finally:
            for key in kept:
                del _torch._ready[key]
            _torch._recent.clear()
        print(f"\nPython, microseconds before the launch: {into:.1f} with out=, {fresh:.1f} without, {both:.1f} with lse")
        self.assertEqual(len(kept), 3)
        self.assertLess(both, 15)


if __name__ == "__main__":
    unittest.main()
