// AscendC: every core copies its own tiles; below, cores that begin one tile too early.

#include "kernel_operator.h"

class Doubled {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, uint32_t length, uint32_t tile, uint32_t skip) {
    this->tile = tile;
    this->share = length / AscendC::GetBlockNum();
    int64_t first = this->share * AscendC::GetBlockIdx() - skip;
    source.SetGlobalBuffer((__gm__ half*)x + first, this->share);
    target.SetGlobalBuffer((__gm__ half*)y + first, this->share);
    pipe.InitBuffer(loaded, 2, tile * sizeof(half));
    pipe.InitBuffer(stored, 2, tile * sizeof(half));
  }
  __aicore__ inline void Process() {
    for (uint32_t i = 0; i < share / tile; ++i) {
      CopyIn(i);
      Compute();
      CopyOut(i);
    }
  }

 private:
  __aicore__ inline void CopyIn(uint32_t i) {
    AscendC::LocalTensor<half> part = loaded.AllocTensor<half>();
    // symlayout: expect refuted "shifted_cores: in bounds" because "the first core begins before x"
    AscendC::DataCopy(part, source[(uint64_t)i * tile], tile);
    loaded.EnQue(part);
  }
  __aicore__ inline void Compute() {
    AscendC::LocalTensor<half> part = loaded.DeQue<half>();
    AscendC::LocalTensor<half> sum = stored.AllocTensor<half>();
    AscendC::Add(sum, part, part, tile);
    stored.EnQue<half>(sum);
    loaded.FreeTensor(part);
  }
  __aicore__ inline void CopyOut(uint32_t i) {
    AscendC::LocalTensor<half> sum = stored.DeQue<half>();
    // symlayout: expect refuted "shifted_cores: in bounds" because "the first core begins before y"
    AscendC::DataCopy(target[(uint64_t)i * tile], sum, tile);
    stored.FreeTensor(sum);
  }

  AscendC::TPipe pipe;
  AscendC::TQue<AscendC::QuePosition::VECIN, 2> loaded;
  AscendC::TQue<AscendC::QuePosition::VECOUT, 2> stored;
  AscendC::GlobalTensor<half> source, target;
  uint32_t share, tile;
};

// symlayout: kernel grid (cores,)
//   x is f16[length]
//   y is f16[length] written once
//   symbol tiles
//   where length == cores * tiles * tile, cores <= 64, tile % 16 == 0
extern "C" __global__ __aicore__ void doubled(GM_ADDR x, GM_ADDR y, uint32_t length, uint32_t tile) {
  Doubled op;
  op.Init(x, y, length, tile, 0);
  op.Process();
}

// symlayout: kernel grid (cores,)
//   x is f16[length]
//   y is f16[length]
//   symbol tiles
//   where length == cores * tiles * tile, cores <= 64, tile % 16 == 0
extern "C" __global__ __aicore__ void shifted_cores(GM_ADDR x, GM_ADDR y, uint32_t length,
                                                   uint32_t tile) {
  Doubled op;
  op.Init(x, y, length, tile, tile);
  op.Process();
}
