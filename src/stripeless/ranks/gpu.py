"""The same counts on a GPU through torch: products, compare, count; no matrix of all pairs is ever in memory.

Float32 products (TF32 is switched off: its eleven bits would leave too many pairs unsettled), the pairs within the
rounding bound settled in float64 on the same device. It also runs on torch's CPU device, where it is tested.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from stripeless._extras import need
from stripeless.errors import InputError
from stripeless.ranks.space import SINGLE
from stripeless.ranks.tile import blocks
from stripeless.scores.check import IntArray

if TYPE_CHECKING:
    from stripeless.ranks.run import RankJob

PROBE_BLOCK, TEMPLATE_BLOCK = 8192, 8192  # 256 MB of products
_DENSE = 16
_PAIRS = 1 << 18  # pairs settled at a time


class TorchCounter:
    """Vectors on the device, and the tile function over them."""

    def __init__(self, job: RankJob, device: str) -> None:
        self.torch = need("torch", "torch", "ranking on a GPU")
        if job.space.form == "direct":
            raise InputError(
                f"metric: {job.space.name} has no product form; on a device use cosine, euclidean, hellinger"
            )
        self.device = _open_device(self.torch, device)
        self.job, self.space = job, job.space
        self.own = self._to_device(job.own)
        self.probes, self.templates = self._to_device(job.probes), self._to_device(job.templates)
        self.similarity = self._in_chunks(len(job.probes), self._own_similarity)
        scale = self.torch.ones_like(self.similarity) if self.space.form == "product" else self.similarity.abs()
        self.width = (2 * job.probes.shape[1] + 8) * 2.0**-53 * scale
        self.longest = 1.0
        self.template_keys = self._in_chunks(len(job.templates), self._template_keys)
        self.probe_keys = self._in_chunks(len(job.probes), self._probe_keys)

    def _to_device(self, array: Any) -> Any:
        array = np.ascontiguousarray(array)
        return self.torch.from_numpy(array if array.flags.writeable else array.copy()).to(self.device)

    def _in_chunks(self, length: int, function: Any) -> Any:
        return self.torch.cat([function(rows) for rows in blocks(length, 1 << 16)])

    def _rows(self, vectors: Any) -> Any:
        """`Space.rows` in torch."""
        rows = vectors.to(self.torch.float64)
        if self.space.name == "cosine":
            rows = rows / rows.abs().amax(dim=1, keepdim=True)
            return rows / rows.norm(dim=1, keepdim=True)
        if self.space.name == "hellinger":
            return (rows / rows.sum(dim=1, keepdim=True)).sqrt()
        return (rows - self.torch.from_numpy(self.space.center).to(self.device)) * self.space.scale

    def _similarity(self, probes: Any, templates: Any) -> Any:
        if self.space.form == "product":
            return (probes * templates).sum(dim=1)
        return -((probes - templates) ** 2).sum(dim=1)

    def _own_similarity(self, p: slice) -> Any:
        return self._similarity(self._rows(self.probes[p]), self._rows(self.templates[self.own[p]]))

    def _template_keys(self, t: slice) -> Any:
        """`Space.template_keys` in torch."""
        rows = self._rows(self.templates[t])
        ones = self.torch.ones_like(rows[:, :1])
        if self.space.form == "product":
            return self.torch.cat([rows, ones], dim=1).to(self.torch.float32)
        norms = (rows**2).sum(dim=1, keepdim=True)
        self.longest = max(self.longest if t.start else 0.0, float(norms.max()))
        return self.torch.cat([rows, -norms / 2, ones], dim=1).to(self.torch.float32)

    def _probe_keys(self, p: slice) -> Any:
        """`Space.probe_keys` in torch."""
        rows, own = self._rows(self.probes[p]), self.similarity[p, None]
        dimension = rows.shape[1]
        if self.space.form == "product":
            error = (dimension + 8) * SINGLE * (1 + own.abs())
            return (self.torch.cat([rows, -own], dim=1) / error).to(self.torch.float32)
        norms = (rows**2).sum(dim=1, keepdim=True)
        middle = (norms + own) / 2
        reach = (norms * self.longest).sqrt() + self.longest + norms + middle.abs()
        error = ((dimension + 10) * SINGLE * reach).clamp(min=1e-30)
        ones = self.torch.ones_like(own)
        return (self.torch.cat([rows, ones, -middle], dim=1) / error).to(self.torch.float32)

    def count(self, p: slice, t: slice) -> IntArray:
        """Templates of `t` above, and tied with, the own one of each probe of `p`: shape (2, probes)."""
        counts = self.torch.zeros((2, p.stop - p.start), dtype=self.torch.int64, device=self.device)
        exact = self.torch.backends.cuda.matmul.allow_tf32
        self.torch.backends.cuda.matmul.allow_tf32 = False
        try:
            for rows in blocks(p.stop - p.start, PROBE_BLOCK):
                for columns in blocks(t.stop - t.start, TEMPLATE_BLOCK):
                    block_p = slice(p.start + rows.start, p.start + rows.stop)
                    block_t = slice(t.start + columns.start, t.start + columns.stop)
                    self._count_block(block_p, block_t, counts[:, rows])
        finally:
            self.torch.backends.cuda.matmul.allow_tf32 = exact
        result: IntArray = counts.cpu().numpy()
        return result

    def _count_block(self, p: slice, t: slice, counts: Any) -> None:
        torch = self.torch
        product = self.probe_keys[p] @ self.template_keys[t].T
        self._leave_out_own(product, p, t)
        above = product > 1.0
        near = (product >= -1.0) ^ above
        pairs = near.flatten().nonzero().flatten()
        if pairs.numel() * _DENSE > product.numel():
            self._count_densely(p, t, counts)
            return
        counts[0] += above.sum(dim=1)
        for i in range(0, pairs.numel(), _PAIRS):
            some = pairs[i : i + _PAIRS]
            row, column = torch.div(some, t.stop - t.start, rounding_mode="floor"), some % (t.stop - t.start)
            rows, columns = self._rows(self.probes[row + p.start]), self._rows(self.templates[column + t.start])
            ahead = self._similarity(rows, columns) - self.similarity[row + p.start]
            width = self.width[row + p.start]
            counts[0].index_add_(0, row, (ahead > width).to(torch.int64))
            counts[1].index_add_(0, row, (ahead.abs() <= width).to(torch.int64))

    def _leave_out_own(self, matrix: Any, p: slice, t: slice) -> None:
        own = self.own[p]
        rows = ((own >= t.start) & (own < t.stop)).nonzero().flatten()
        matrix[rows, own[rows] - t.start] = float("-inf")

    def _count_densely(self, p: slice, t: slice, counts: Any) -> None:
        """Most pairs are too close for float32 (many ties, or vectors all alike): the whole block in float64."""
        templates = self._rows(self.templates[t])
        for chunk in blocks(p.stop - p.start, 512):
            part = slice(p.start + chunk.start, p.start + chunk.stop)
            probes = self._rows(self.probes[part])
            if self.space.form == "product":
                matrix = probes @ templates.T
            else:
                mode = "donot_use_mm_for_euclid_dist"
                matrix = -(self.torch.cdist(probes, templates, compute_mode=mode) ** 2)
            self._leave_out_own(matrix, part, t)
            matrix -= self.similarity[part, None]
            counts[0, chunk] += (matrix > self.width[part, None]).sum(dim=1)
            counts[1, chunk] += (matrix.abs() <= self.width[part, None]).sum(dim=1)


def _open_device(torch: Any, device: str) -> Any:
    try:
        opened = torch.device(device)
        torch.zeros(1, device=opened)
    except (RuntimeError, AssertionError) as error:
        raise InputError(
            f"device: {device!r} cannot be used here ({str(error).splitlines()[0]}); leave it out"
        ) from error
    return opened
