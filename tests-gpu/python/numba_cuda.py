"""Numba kernels with shared memory, barriers, shuffles, atomics, a stream, mathematics and an exception."""

import math
import warnings

import numpy as np
from numba import cuda, float32
from numba.core.errors import NumbaPerformanceWarning

warnings.simplefilter("ignore", NumbaPerformanceWarning)
BLOCK = 128


@cuda.jit
def saxpy(a, x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] += a * x[i]


@cuda.jit
def total(x, out):
    part = cuda.shared.array(BLOCK, float32)
    t = cuda.threadIdx.x
    part[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    n = BLOCK // 2
    while n > 16:
        if t < n:
            part[t] += part[t + n]
        cuda.syncthreads()
        n //= 2
    if t < 32:
        value = part[t]
        while n > 0:
            value += cuda.shfl_down_sync(0xFFFFFFFF, value, n)
            n //= 2
        if t == 0:
            cuda.atomic.add(out, 0, value)


@cuda.jit
def waves(x, out):
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        out[i] = math.sin(x[i]) * math.exp(-x[i] / 100.0)


@cuda.jit(debug=True, opt=False)
def refuse(x):
    if cuda.grid(1) == 3:
        raise ValueError("three")
    x[cuda.grid(1)] = 1


x = np.arange(1024, dtype=np.float32)
y = np.ones_like(x)
stream = cuda.stream()
dx, dy = cuda.to_device(x, stream=stream), cuda.to_device(y, stream=stream)
saxpy[8, BLOCK, stream](np.float32(2.0), dx, dy)
sums = cuda.to_device(np.zeros(1, dtype=np.float32), stream=stream)
total[4, BLOCK, stream](dy[:512], sums)
stream.synchronize()
assert np.array_equal(dy.copy_to_host(), 2 * x + y)
expected = (2 * x + y)[:512].reshape(4, BLOCK)
half = expected[:, :64] + expected[:, 64:]
quarter = half[:, :32] + half[:, 32:]
assert sums.copy_to_host()[0] == quarter.sum(dtype=np.float32)

angles = np.linspace(0.0, 50.0, 1000)
result = cuda.device_array_like(angles)
waves[4, BLOCK](angles, result)
assert np.allclose(result.copy_to_host(), np.sin(angles) * np.exp(-angles / 100.0), rtol=1e-12, atol=1e-15)

try:
    refuse[1, 32](cuda.to_device(np.zeros(32)))
    raise AssertionError("the exception of the kernel is lost")
except ValueError as error:
    assert "three" in str(error), error

print(cuda.get_current_device().name.decode())
print("passed")
