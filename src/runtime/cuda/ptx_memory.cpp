#include "runtime/cuda/ptx.hpp"

namespace gpucoop::runtime::cuda {

const char* ptx_memory() {
  return R"ptx(
.version 6.0
.target sm_60
.address_size 64

.func (.reg .b32 word) pattern_word(.reg .b64 index, .reg .b32 seed, .reg .b32 round)
{
  .reg .b32 low, high, t;
  .reg .pred p;
  mov.b64 {low, high}, index;
  mul.lo.u32 word, low, 0x9E3779B1;
  mul.lo.u32 t, high, 0x85EBCA77;
  xor.b32 word, word, t;
  mul.lo.u32 t, seed, 0xC2B2AE3D;
  xor.b32 word, word, t;
  mul.lo.u32 t, round, 0x27D4EB2F;
  xor.b32 word, word, t;
  shr.u32 t, word, 16;
  xor.b32 word, word, t;
  mul.lo.u32 word, word, 0x85EBCA6B;
  shr.u32 t, word, 13;
  xor.b32 word, word, t;
  mul.lo.u32 word, word, 0xC2B2AE35;
  shr.u32 t, word, 16;
  xor.b32 word, word, t;
  setp.eq.u32 p, word, 0;
  @p mov.b32 word, 0x5A5A5A5A;
  setp.eq.u32 p, word, 0xFFFFFFFF;
  @p mov.b32 word, 0xA5A5A5A5;
  ret;
}

.func (.reg .b64 index) first_word()
{
  .reg .b32 a, b;
  .reg .b64 thread;
  mov.u32 a, %ctaid.x;
  mov.u32 b, %ntid.x;
  mul.wide.u32 index, a, b;
  mov.u32 a, %tid.x;
  cvt.u64.u32 thread, a;
  add.u64 index, index, thread;
  ret;
}

.func (.reg .b64 threads) all_threads()
{
  .reg .b32 a, b;
  mov.u32 a, %nctaid.x;
  mov.u32 b, %ntid.x;
  mul.wide.u32 threads, a, b;
  ret;
}

.visible .entry gpucoop_dispatch(.param .u64 to, .param .u32 value)
{
  .reg .b64 address;
  .reg .b32 v;
  ld.param.u64 address, [to];
  ld.param.u32 v, [value];
  cvta.to.global.u64 address, address;
  st.global.u32 [address], v;
  ret;
}

.visible .entry gpucoop_store(.param .u64 to, .param .u64 words, .param .u32 seed, .param .u32 round)
{
  .reg .b64 address, count, i, step, at;
  .reg .b32 s, r, w;
  .reg .pred p;
  ld.param.u64 address, [to];
  ld.param.u64 count, [words];
  ld.param.u32 s, [seed];
  ld.param.u32 r, [round];
  cvta.to.global.u64 address, address;
  call (i), first_word;
  call (step), all_threads;
next:
  setp.ge.u64 p, i, count;
  @p bra done;
  call (w), pattern_word, (i, s, r);
  shl.b64 at, i, 2;
  add.u64 at, at, address;
  st.global.u32 [at], w;
  add.u64 i, i, step;
  bra next;
done:
  membar.sys;
  ret;
}

.visible .entry gpucoop_load(.param .u64 to, .param .u64 from, .param .u64 words)
{
  .reg .b64 target, source, count, i, step, at;
  .reg .b32 w;
  .reg .pred p;
  ld.param.u64 target, [to];
  ld.param.u64 source, [from];
  ld.param.u64 count, [words];
  cvta.to.global.u64 target, target;
  cvta.to.global.u64 source, source;
  call (i), first_word;
  call (step), all_threads;
next:
  setp.ge.u64 p, i, count;
  @p bra done;
  shl.b64 at, i, 2;
  add.u64 at, at, source;
  ld.volatile.global.u32 w, [at];
  sub.u64 at, at, source;
  add.u64 at, at, target;
  st.global.u32 [at], w;
  add.u64 i, i, step;
  bra next;
done:
  membar.sys;
  ret;
}

.visible .entry gpucoop_count(.param .u64 counter, .param .u32 times)
{
  .reg .b64 address, count, i, step;
  .reg .b32 t, before;
  .reg .pred p;
  ld.param.u64 address, [counter];
  ld.param.u32 t, [times];
  cvta.to.global.u64 address, address;
  cvt.u64.u32 count, t;
  call (i), first_word;
  call (step), all_threads;
next:
  setp.ge.u64 p, i, count;
  @p bra done;
  atom.global.sys.add.u32 before, [address], 1;
  add.u64 i, i, step;
  bra next;
done:
  membar.sys;
  ret;
}

.visible .entry gpucoop_spin(.param .u64 duration)
{
  .reg .b64 begin, now, most;
  .reg .pred p;
  ld.param.u64 most, [duration];
  mov.u64 begin, %globaltimer;
again:
  mov.u64 now, %globaltimer;
  sub.u64 now, now, begin;
  setp.lt.u64 p, now, most;
  @p bra again;
  ret;
}
)ptx";
}

}  // namespace gpucoop::runtime::cuda
