/* Undefines KERNEL and the macros of lanes_base.h or lanes_avx2.h. */
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
