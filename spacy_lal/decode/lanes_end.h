/* Forgets KERNEL and what lanes_base.h or lanes_avx2.h defined. */
#undef KERNEL
#undef TARGET
#undef LANES
#undef VEC
#undef LOAD
#undef STORE
#undef SET
#undef ADD
#undef SUB
#undef MUL
#undef MAX
