#include "runtime/cuda/ptx.hpp"

namespace gpucoop::runtime::cuda {

const char* ptx_checks() {
  return R"ptx(
.visible .entry gpucoop_verify(.param .u64 from, .param .u64 words, .param .u32 seed, .param .u32 round,
                               .param .u32 old_seed, .param .u32 old_round, .param .u64 result)
{
  .reg .b64 source, count, i, step, at, sum;
  .reg .b64 checked, wrong, lost, stale, shifted, ones, zero, first;
  .reg .b32 s, r, os, oround, found, w, k;
  .reg .pred p;
  ld.param.u64 source, [from];
  ld.param.u64 count, [words];
  ld.param.u32 s, [seed];
  ld.param.u32 r, [round];
  ld.param.u32 os, [old_seed];
  ld.param.u32 oround, [old_round];
  ld.param.u64 sum, [result];
  cvta.to.global.u64 source, source;
  cvta.to.global.u64 sum, sum;
  mov.u64 checked, 0;
  mov.u64 wrong, 0;
  mov.u64 lost, 0;
  mov.u64 stale, 0;
  mov.u64 shifted, 0;
  mov.u64 ones, 0;
  mov.u64 zero, 0;
  mov.u64 first, 0xFFFFFFFFFFFFFFFF;
  call (i), first_word;
  call (step), all_threads;
next:
  setp.ge.u64 p, i, count;
  @p bra done;
  shl.b64 at, i, 2;
  add.u64 at, at, source;
  ld.volatile.global.u32 found, [at];
  add.u64 checked, checked, 1;
  call (w), pattern_word, (i, s, r);
  setp.eq.u32 p, found, w;
  @p bra advance;
  add.u64 wrong, wrong, 1;
  shl.b64 at, i, 32;
  .reg .b64 wide;
  cvt.u64.u32 wide, found;
  or.b64 at, at, wide;
  min.u64 first, first, at;
  setp.ne.u32 p, found, 0xFFFFFFFF;
  @p bra not_ones;
  add.u64 ones, ones, 1;
  bra advance;
not_ones:
  setp.ne.u32 p, found, 0;
  @p bra not_zero;
  add.u64 zero, zero, 1;
  bra advance;
not_zero:
  call (w), pattern_word, (i, os, oround);
  setp.ne.u32 p, found, w;
  @p bra not_lost;
  add.u64 lost, lost, 1;
  bra advance;
not_lost:
  mov.u32 k, 1;
try_round:
  .reg .b32 earlier;
  sub.u32 earlier, r, k;
  call (w), pattern_word, (i, s, earlier);
  setp.eq.u32 p, found, w;
  @p bra is_stale;
  add.u32 k, k, 1;
  setp.le.u32 p, k, 3;
  @p bra try_round;
  mov.u32 k, 1;
try_place:
  cvt.u64.u32 wide, k;
  add.u64 at, i, wide;
  call (w), pattern_word, (at, s, r);
  setp.eq.u32 p, found, w;
  @p bra is_shifted;
  sub.u64 at, i, wide;
  call (w), pattern_word, (at, s, r);
  setp.eq.u32 p, found, w;
  @p bra is_shifted;
  add.u32 k, k, 1;
  setp.le.u32 p, k, 16;
  @p bra try_place;
  bra advance;
is_stale:
  add.u64 stale, stale, 1;
  bra advance;
is_shifted:
  add.u64 shifted, shifted, 1;
advance:
  add.u64 i, i, step;
  bra next;
done:
  .reg .b64 unused;
  atom.global.add.u64 unused, [sum], checked;
  setp.eq.u64 p, wrong, 0;
  @p bra finish;
  atom.global.add.u64 unused, [sum+8], wrong;
  atom.global.add.u64 unused, [sum+16], lost;
  atom.global.add.u64 unused, [sum+24], stale;
  atom.global.add.u64 unused, [sum+32], shifted;
  atom.global.add.u64 unused, [sum+40], ones;
  atom.global.add.u64 unused, [sum+48], zero;
  atom.global.min.u64 unused, [sum+56], first;
finish:
  ret;
}

.visible .entry gpucoop_handshake(.param .u64 own, .param .u64 other, .param .u32 side, .param .u32 rounds,
                                  .param .u64 limit, .param .u64 result)
{
  .reg .b64 inbox, outbox, begin, now, most, sum, at, index, wrong;
  .reg .b32 my_side, my_seed, their_seed, last, r, came, flag, w, found, j, writes;
  .reg .pred p;
  ld.param.u64 inbox, [own];
  ld.param.u64 outbox, [other];
  ld.param.u32 my_side, [side];
  ld.param.u32 last, [rounds];
  ld.param.u64 most, [limit];
  ld.param.u64 sum, [result];
  cvta.to.global.u64 inbox, inbox;
  cvta.to.global.u64 outbox, outbox;
  cvta.to.global.u64 sum, sum;
  add.u32 my_seed, my_side, 0x6A5D39E1;
  xor.b32 their_seed, my_side, 1;
  add.u32 their_seed, their_seed, 0x6A5D39E1;
  mov.u64 wrong, 0;
  mov.u32 came, 0;
  mov.u32 r, 1;
  mov.u64 begin, %globaltimer;
again:
  setp.gt.u32 p, r, last;
  @p bra done;
  setp.ne.u32 p, my_side, 0;
  @p bra wait;
  bra write;
wait:
  ld.volatile.global.u32 flag, [inbox];
  setp.eq.u32 p, flag, r;
  @p bra check;
  mov.u64 now, %globaltimer;
  sub.u64 now, now, begin;
  setp.gt.u64 p, now, most;
  @p bra done;
  bra wait;
check:
  membar.sys;
  mov.u32 j, 0;
check_word:
  cvt.u64.u32 index, j;
  call (w), pattern_word, (index, their_seed, r);
  shl.b64 at, index, 2;
  add.u64 at, at, inbox;
  ld.volatile.global.u32 found, [at+64];
  setp.eq.u32 p, found, w;
  @!p add.u64 wrong, wrong, 1;
  add.u32 j, j, 1;
  setp.lt.u32 p, j, 16;
  @p bra check_word;
  setp.eq.u32 p, my_side, 0;
  @p bra advance;
write:
  mov.u32 j, 0;
write_word:
  cvt.u64.u32 index, j;
  call (w), pattern_word, (index, my_seed, r);
  shl.b64 at, index, 2;
  add.u64 at, at, outbox;
  st.volatile.global.u32 [at+64], w;
  add.u32 j, j, 1;
  setp.lt.u32 p, j, 16;
  @p bra write_word;
  membar.sys;
  st.volatile.global.u32 [outbox], r;
  setp.eq.u32 p, my_side, 0;
  @p bra wait;
advance:
  mov.u32 came, r;
  add.u32 r, r, 1;
  bra again;
done:
  mov.u64 now, %globaltimer;
  sub.u64 now, now, begin;
  membar.sys;
  st.global.u32 [sum], came;
  st.global.u64 [sum+8], wrong;
  st.global.u64 [sum+16], now;
  ret;
}

)ptx";
}

}  // namespace gpucoop::runtime::cuda
