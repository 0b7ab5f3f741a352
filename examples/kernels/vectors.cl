// OpenCL: rows that are added in vectors of four, and the same with a work-group too few.

// symlayout: kernel grid (cdiv(n, 64),) block (64,)
//   x is f32[4 * n]
//   y is f32[4 * n] written once
__kernel void add_vectors(__global const float* restrict x, __global float* y, const int n) {
  const int i = get_global_id(0);
  if (i < n) {
    float4 v = vload4(i, x);
    vstore4(v + v, i, y);
  }
}

// symlayout: kernel grid (n // 64,) block (64,)
//   x is f32[4 * n]
//   y is f32[4 * n] written once
__kernel void add_vectors_of_whole_groups(__global const float* restrict x, __global float* y,
                                          const int n) {
  const int i = get_global_id(0);
  if (i < n) {
    float4 v = vload4(i, x);
    // symlayout: expect refuted "written once: store"
    //   because "n // 64 groups leave the last part out"
    vstore4(v + v, i, y);
  }
}
