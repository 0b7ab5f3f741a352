// A transposition through shared memory; each index has its layout beside it.
#include <cstdint>

template <typename T>
__global__ void transpose(const T* __restrict__ in, T* __restrict__ out, int M, int N) {
  __shared__ T tile[32 * 33];  // a pitch of 33: "no bank conflicts"
  const int row = blockIdx.y * 32 + threadIdx.y;
  const int col = blockIdx.x * 32 + threadIdx.x;
  if (row < M && col < N) {
    // symlayout: formula "strided f32[32,32] strides(33,1)" of tile
    //   coords ty, tx with threadIdx.y = ty, threadIdx.x = tx
    tile[threadIdx.y * 33 + threadIdx.x] =
        in[(int64_t)row * N + col]; /* the load is coalesced; [so] is the store */
    // symlayout: formula "f32[M,N]{1,0}" of in coords row, col
    T value = in[static_cast<int64_t>(row) * N + col];
    // symlayout: formula "f32[N,M]{1,0}" coords col, row
    out[(size_t)col * M + row] = value;
    /* symlayout: formula "f32[M,N]{1,0:T(8,128)}" coords row, col where N % 128 == 0 */
    const int64_t tiled =
        ((int64_t)(row / 8) * (N / 128) + col / 128) * 1024  // which tile
        + (row % 8) * 128 + (col & 127);
    // symlayout: injective "strided f32[32,32] strides(33,1)"
    (void)tiled;
  }
}
