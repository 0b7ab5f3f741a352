// Kernels with threads: a transpose through a padded tile, a swizzled store, a paged cache.
//
// Below each stands the same kernel with one mistake, which the contract refutes at the line that has it.

#define TILE 32
#define ROWS 8

// symlayout: kernel grid (cdiv(N, TILE), cdiv(M, TILE)) block (TILE, ROWS)
//   x is f32[M,N]
//   y is f32[N,M] written once
//   where M <= 1048576
__global__ void transpose(const float* __restrict__ x, float* __restrict__ y, int M, int N) {
  __shared__ float tile[TILE][TILE + 1];
  int column = blockIdx.x * TILE + threadIdx.x;
  int row = blockIdx.y * TILE + threadIdx.y;
  for (int k = 0; k < TILE; k += ROWS) {
    if (row + k < M && column < N)
      tile[threadIdx.y + k][threadIdx.x] = x[(size_t)(row + k) * N + column];
  }
  __syncthreads();
  column = blockIdx.y * TILE + threadIdx.x;
  row = blockIdx.x * TILE + threadIdx.y;
  for (int k = 0; k < TILE; k += ROWS) {
    if (row + k < N && column < M)
      y[(size_t)(row + k) * M + column] = tile[threadIdx.x][threadIdx.y + k];
  }
}

// symlayout: kernel grid (cdiv(N, TILE), cdiv(M, TILE)) block (TILE, ROWS)
//   x is f32[M,N]
//   y is f32[N,M]
//   where M <= 1048576
__global__ void transpose_without_the_end_of_columns(const float* x, float* y, int M, int N) {
  __shared__ float tile[TILE][TILE + 1];
  int column = blockIdx.x * TILE + threadIdx.x;
  int row = blockIdx.y * TILE + threadIdx.y;
  for (int k = 0; k < TILE; k += ROWS) {
    if (row + k < M && column < N)
      tile[threadIdx.y + k][threadIdx.x] = x[(size_t)(row + k) * N + column];
  }
  __syncthreads();
  column = blockIdx.y * TILE + threadIdx.x;
  row = blockIdx.x * TILE + threadIdx.y;
  for (int k = 0; k < TILE; k += ROWS) {
    // the last tile may be a part of one: column < M is missing
    if (row + k < N)
      // symlayout: expect refuted "in bounds: store", "no race: store"
      //   because "the last tile may be a part of one"
      y[(size_t)(row + k) * M + column] = tile[threadIdx.x][threadIdx.y + k];
  }
}

// symlayout: kernel grid (cdiv(rows, 64),) block (256,)
//   x is f16[rows,64]
__global__ void swizzled_store(const half* x, int rows) {
  __shared__ half tile[64 * 64];
  for (int k = 0; k < 2; ++k) {
    int at = threadIdx.x + k * 256;
    int r = at / 8, chunk = at % 8;
    int row = blockIdx.x * 64 + r;
    if (row < rows)
      *reinterpret_cast<uint4*>(tile + r * 64 + ((chunk ^ (r & 7)) << 3)) =
          *reinterpret_cast<const uint4*>(x + (size_t)row * 64 + chunk * 8);
  }
}

// symlayout: kernel grid (tiles,) block (192,)
//   x is f16[64 * tiles,48]
__global__ void swizzled_store_of_six_chunks(const half* x) {
  __shared__ half tile[64 * 48];
  for (int k = 0; k < 2; ++k) {
    int at = threadIdx.x + k * 192;
    int r = at / 6, chunk = at % 6;
    // six is no power of two: chunk ^ (r & 7) leaves the row
    // symlayout: expect refuted "in bounds: store", "no race: store"
    //   because "six is no power of two"
    tile[r * 48 + ((chunk ^ (r & 7)) << 3)] = x[((size_t)blockIdx.x * 64 + r) * 48 + chunk * 8];
  }
}

// symlayout: kernel grid (sequences, heads) block (64,)
//   q is f32[sequences,heads,64]
//   cache is f16[blocks,heads,16,64]
//   table is s32[sequences,most] below blocks
//   lengths is s32[sequences] below 16 * most + 1
//   out is f32[sequences,heads,64] written once
//   where sequences <= 65535, heads <= 128, most <= 4096
__global__ void paged_scores(const float* __restrict__ q, const half* __restrict__ cache,
                             const int* __restrict__ table, const int* __restrict__ lengths,
                             float* __restrict__ out, int heads, int most) {
  int sequence = blockIdx.x, head = blockIdx.y, d = threadIdx.x;
  size_t row = ((size_t)sequence * heads + head) * 64 + d;
  int length = lengths[sequence];
  float sum = 0;
  for (int t = 0; t < length; ++t) {
    size_t page = table[sequence * most + t / 16];
    sum += q[row] * __half2float(cache[((page * heads + head) * 16 + t % 16) * 64 + d]);
  }
  out[row] = sum;
}

// symlayout: kernel grid (sequences, heads) block (64,)
//   cache is f16[blocks,heads,16,64]
//   table is s32[sequences,most] below blocks
//   lengths is s32[sequences] below 16 * most + 1
//   where sequences <= 65535, heads <= 128, most <= 4096
__global__ void paged_scores_one_page_too_many(const half* __restrict__ cache,
                                               const int* __restrict__ table,
                                               const int* __restrict__ lengths, int heads,
                                               int most) {
  int sequence = blockIdx.x, head = blockIdx.y, d = threadIdx.x;
  int length = lengths[sequence];
  for (int t = 0; t <= length; ++t) {
    // the last turn is one behind the sequence: its page may be none of the row
    // symlayout: expect refuted "in bounds: load of table"
    //   because "t reaches the length"
    size_t page = table[sequence * most + t / 16];
    half value = cache[((page * heads + head) * 16 + t % 16) * 64 + d];
  }
}
