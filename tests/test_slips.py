"""Natural mistakes, each with a message that says what to write instead."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import numpy as np
import pytest

import symlayout as sl
from symlayout import LayoutError
from symlayout.__main__ import main

L = "f32[M,N]"

# [what is typed behind `symlayout`, what the message has to say]; each was a guess of a new user
TYPED = [
    # the order of words, and what a shell does to them
    (f"prove '{L}' injective", "the claim word comes first: injective A"),
    ("prove injectiv 'f32[M,N]'", "did you mean 'injective'?"),
    (f"injective '{L}'", "symlayout prove injective A"),
    (f"'{L}'", "symlayout formula LAYOUT shows it"),
    ("formula 'f32[M,N]1' 'f32[M,N]0'", "quote each layout"),
    ("prove injective 'f32[M,N]{1' '0:T(8' '128)}'", "quote each layout"),
    ("prove equal 'f32[M,N]1' 'f32[M,N]0' 'f32[M,N]'", "quote each layout"),
    (f"prove bounded '{L}' --where S", "in a shell quote it, or > writes to a file"),
    ("prove tiles 'f32[64,64]' 16 16", "write the numbers as one argument: 16,16"),
    # an expression that blanks took apart, and facts that are none of it
    ("prove holds 1 '==' 1", "as one argument, in quotes: '1 == 1'"),
    ("prove holds N+1 '>' N", "as one argument, in quotes: 'N+1 > N'"),
    ("prove holds 'N+1 > N' 'N > 2'", "--where 'N > 2'"),
    (f"prove formula '{L}' i*N + j", "as one argument, in quotes: 'i*N + j'"),
    (f"prove formula '{L}' 'i*N + j' 'N > 2'", "--where 'N > 2'"),
    ("prove bitcast 'f32[M,N]' 'f32[N,M]' --perm 1 0", "with commas, as one word: 1,0"),
    ("prove injective map i '<' N: 2*i", "as one argument, in quotes: 'map i < N: 2*i'"),
    ("prove injective einops a b '->' b a", "as one argument, in quotes: 'einops a b -> b a'"),
    (f"prove equal strided '{L}' 'strides(S,1)' '{L}'", "in quotes: 'strided ...'"),
    (f"prove equal '{L}' strided '{L}' 'strides(S,1)'", f"in quotes: 'strided {L} strides(S,1)'"),
    # names
    (f"prove formula '{L}' 'row*N+col'", "--coords row,col"),
    (f"prove formula '{L}' 'y*N + x'", "--coords y,x"),
    ("prove formula 'zN(f16,M,N)' '(col//16)*ceildiv(M,16)*256 + row*16 + col%16'", "row,col"),
    (f"prove formula '{L}' 'x + y*N'", "--coords y,x"),
    (f"prove formula '{L}' 'c + r*N'", "--coords r,c"),
    (f"prove formula '{L}' 'n0 + m0*N'", "--coords m0,n0"),
    (f"prove formula '{L}' 'a + b*N'", "--coords a,b or --coords b,a"),
    (f"prove formula '{L}' 'i*N + j//C0*C1'", "names known here: i, i0, j, i1, M, N"),
    ("prove formula 'zN(f16,M,N)' '(j//C0)*RoundUp<16>(M)*16 + i'", "names known here"),
    (f"prove formula '{L}' 'return i*N + j'", "without 'return'"),
    (f"prove formula '{L}' 'A[i*N + j]'", "give the index alone"),
    (f"prove bounded '{L}' --where 'm >= 2'", "did you mean 'M'?"),
    (f"show '{L}' --size n=3", "its sizes: M, N"),
    (f"show '{L}' --size m=3", "did you mean 'M'?"),
    (f"show '{L}' --where 'm > 3'", "did you mean 'M'?"),
    ("prove injective 'einops a b -> b a, c=3'", "its axes: a, b"),
    ("prove injective 'atom SM80_16x8x16_F32F16F16F32_TN a'", "did you mean 'A'?"),
    # numbers of the sizes of a picture
    (f"show '{L}' --size M=-1", "the size M is a whole number from 0 to 10**18 - 1, not '-1'"),
    (f"show '{L}' --size N=3,M=1.5", "      ^^^"),
    (f"show '{L}' --size M=", "not nothing"),
    (f"show '{L}' --size M=1e3", "write the number out: 1000"),
    (f"show '{L}' --size M=3 --size M=4", "the size M has two values: 3 and 4"),
    (f"show '{L}' --size M=3,N=4 --where 'M > 3'", "the fact 'M > 3'"),
    # codes, by the look of letters and by their order
    ("explain SL1O5", "did you mean 'SL105'?"),
    ("explain sllO5", "did you mean 'SL105'?"),
    ("explain SL150", "did you mean 'SL105'?"),
    ("explain SL15", "did you mean 'SL105'?"),
    # element types
    ("formula 'torch.float16[M,N]'", "did you mean 'f16'?"),
    ("formula 'jnp.bfloat16[M,N]'", "did you mean 'bf16'?"),
    ("formula 'int8[M,N]'", "did you mean 's8'?"),
    ("formula 'f8[M,N]'", "f8e4m3fn, f8e5m2"),
    ("formula 'f32(M,N)'", "brackets: f32[M,N]"),
    ("formula '[M,N]'", "the element type stands first: f32[M,N]"),
    ("formula 'tensor([[1,2]])'", "write f32[M,N]"),
    # numbers and signs
    ("formula 'f32[MxN]'", "write commas: [M,N]"),
    ("formula 'f32[4xN]'", "4,N"),
    ("formula 'f32[M x N]'", "write a comma between sizes"),
    ("formula 'f32[M\u00d7N]'", "write a comma between sizes"),
    ("prove tiles 'f32[64,64]' 16x16", "16,16"),
    ("formula 'f32[1e3]'", "write the number out: 1000"),
    ("formula 'f32[8.0]'", "whole numbers"),
    ("prove holds 'M \u2212 1 >= 0'", "write - for minus"),
    ("prove holds 'M \u2265 1'", "write >="),
    ("prove bounded 'f32[M]' --where 'M \u2264 4'", "write <="),
    ("prove bounded 'f32[M]' --where 'M = 4'", "write == for equality"),
    ("prove bounded 'f32[M]' --where 'M multiple of 4'", "write M % 4 == 0"),
    (f"prove formula '{L}' '2i + j'", "write 2*i for a product"),
    (f"prove formula '{L}' 'N i + j'", "write * for a product"),
    (f"prove formula '{L}' 'i*N + j;'", "leave out the ';'"),
    (f"prove formula '{L}' 'i*N + j == 0'", "prove holds"),
    ("prove bytes 'f32[4]' 16B", "a number of bytes"),
    # counted from 1, and other notations
    ("formula 'f32[M,N]{2,1}'", "numbered from 0, the most minor one first: row-major is {1,0}"),
    ("formula 'f32[M,N]{0,1,2}'", "row-major is {1,0}"),
    ("prove bitcast 'f32[M,N]' 'f32[N,M]' --perm 2,1", "numbered 0 to 1"),
    ("formula 'f32[4,4]' --at 4,4", "coordinates count from 0"),
    ("formula 'f32[4,4]' --at 1", "such as 0,0"),
    ("formula 'f32[M,N]{1,0 T(8,128)}'", "a colon stands before the properties"),
    ("formula 'f32[M,N]{1,0:(8,128)}'", "tiles begin with a T: T(8,128)"),
    ("formula '(M,N);(N,1)'", "a colon stands before the strides"),
    ("formula '(M,N):(N)'", "one stride for each size"),
    ("formula 'f32[4,8]{1,0}:T(8,128)'", "inside of the braces: f32[M,N]{1,0:T(8,128)}"),
    ("formula 'f32[M N]'", "write a comma between sizes"),
    ("formula 'f32[M,N'", "add the missing ']'"),
    ("formula 'f32[M,N]{1,0:T(8,128)'", "add the missing '}'"),
    # CANN writes the order of the fractals first
    ("derive 'NZ(f16,M,N)'", "CANN's NZ is zN here; write zN(f16,M,N)"),
    ("prove injective 'NZ(f16, M, 2*N)'", "write zN(f16, M, 2*N)"),
    ("derive 'ZN(f16,M,N)'", "did you mean 'zN'? CANN's ZN is nZ here; write nZ(f16,M,N)"),
    ("derive 'nz(f16,M,N)'", "the capital letter is the order of the fractals: nZ or zN"),
    ("derive 'zn(f16,M,N)'", "the capital letter is the order of the fractals: zN or nZ"),
    ("derive 'FRACTAL_Z(f16,M,N)'", "CI1KHKWCOCI0(CI1,KH,KW,CO,CI0)"),
    ("derive 'MakeLayout<half, layout::NZ>(M, N)'", "CANN's NZ is zN here"),
    ("derive 'MakeLayout<half, layout::zM>(M, N)'", "known: zN, nZ, zZ"),
    ("derive 'layout::zM::MakeLayout<half>(M, N)'", "known: zN, nZ, zZ"),
    ("derive 'layout::NZ::MakeLayout<half>(M, N)'", "CANN's NZ is zN here"),
    ("derive 'layout::zN::MakeLayout<hlf>(M, N)'", "the element type 'hlf' is not known"),
    ("derive 'layout::zN::MakeLayout<half>(M)'", "of rows and columns, not of 1 size"),
    ("derive 'layout::zN::MakeLayout(M, N)'", "zN needs an element type"),
    ("derive 'MakeLayout<hlf, layout::zN>(M, N)'", "the element type 'hlf' is not known"),
    ("derive 'MakeLayout<half, layout::zN>(M)'", "of rows and columns, not of 1 size"),
    ("derive 'zN(f16,R)'", "1 size for zN(dtype, R, C, [H, W])"),
    ("formula 'memref<4x?xf32, strided<[?]>>'", "1 stride for 2 sizes"),
    ("formula 'strided f32[M,N] strides(1)'", "1 stride for 2 sizes"),
    ("check --formt json", "did you mean '--format'?"),
    ("formula 'f32[-1,N]'", "has a name: f32[M,N]"),
    ("formula 'f32[*,N]'", "a name: f32[M,N]"),
    ("formula 'f32[M,N]{row_major}'", "row-major is f32[M,N]{1,0}"),
    ("formula 'row_major'", "row-major is f32[M,N]{1,0}"),
    ("formula 'Layout((M,N),(N,1))'", "with a colon: (M,N):(N,1)"),
    ("formula 'NHWC'", "f32[M,N]{1,0}, (M,N):(N,1)"),
    ("formula 'f32[1_000]'", "write it without _: 1000"),
    ("formula 'memref<MxNxf32>'", "memref<?x?xf32>; with names: f32[M,N]"),
    (f"formula '{L}' --coords row", "such as i,j"),
    ("prove formula 'i*N+j' 'f32[M,N]'", "the layout comes first"),
    (f"prove injective '{L}' where N '>' 1", "behind --where, in quotes: --where 'N > 1'"),
    (f"prove injective '{L}' 'N > 1'", "behind --where, in quotes: --where 'N > 1'"),
    (f"prove 'injective {L}'", "the claim word stands alone: injective 'f32[M,N]'"),
    (f"prove is_unique '{L}'", "did you mean 'injective'?"),
    (f"prove in_bounds '{L}'", "did you mean 'bounded'?"),
    ("prove", "symlayout prove injective 'f32[M,N]{1,0}'"),
    (f"--where 'M>1' prove injective '{L}'", "options stand behind the command"),
    ("prove bytes 'f32[4]' 16 bytes", "write the number alone: 16"),
    (f"prove padding '{L}' 50%", "1.5 allows a buffer"),
    ("prove tiles 'f32[64,64]' 16", "such as 16,16"),
    (f"show '{L}' --size 4,8", "--size M=4,N=8"),
    ("derive 'f32[4] + f32[4]'", "add(f32[M,N], f32[M,N])"),
    (f"prove injective '{L}' --where 'N % 128'", "write N % 128 == 0"),
    (f"prove injective '{L}' --where 'N is a multiple of 128'", "write N % 128 == 0"),
    ("prove holds 'M => 1'", "write >="),
    ("prove holds 'M =< 1'", "write <="),
    ("prove holds 'M <> 1'", "write !="),
    ("prove holds 'M is even'", "write M % 2 == 0"),
    ("prove holds 'M mod 2 == 0'", "write %"),
    ("prove holds 'M > 1 || N > 1'", "claim each side by itself"),
    ("prove holds 'ceil(M/2) >= 1'", "write ceildiv(a, b)"),
    ("prove holds 'floor(M/2) >= 1'", "write a//b"),
    ("prove holds '|M| >= 0'", "write max(x, -x)"),
    ("prove holds 'not N < 0'", "write the opposite comparison"),
    ("prove holds ''", "the text is empty"),
    (f"prove injective '{L}' --where ''", "the text is empty"),
    ("prove bytes 'f32[Mm]' 4*Mn", "did you mean 'Mm'?"),
    ("prove bytes 'f32[M]' x", "names known here: M"),
    ("prove tiles 'f32[64,64]' 16,16 --at x", "of 1 number for 2 dimensions"),
    ("formula 'tensor<4x8xf16, #ttg.blocked<{...}>>'", "write out what the dots stand for"),
    ("formula 'f32[M, ..., N]'", "write out what the dots stand for"),
    ("formula 'f32[M][N]'", "one pair of brackets: f32[M,N]"),
    ("formula 'M,N:N,1'", "stand in parentheses: (M,N):(N,1)"),
    ("formula '((M,N):(N,1))'", "no parentheses stand around a whole layout"),
    ("formula 'add(f32[M], f32[M])'", "symlayout derive"),
    ("derive 'sub(f32[M], f32[M])'", "such as add(f32[M,N], f32[M,N])"),
    # options, and what they are given
    ("check --tag", "such as --tag VALUE"),
    ("check --scheduler tcp://here:1", "--backend dask --scheduler ADDRESS"),
    (f"prove injective '{L}' --nope", "of every claim: --where, --certificate"),
    (f"prove injective '{L}' --certificate a.layout.toml", "files that end so are checked"),
    (f"when injective '{L}' --certificates ''", "the name of the folder to write is empty"),
    (f"formula '{L}' --spelling cute --emit c", "give one of them"),
    (f"formula '{L}' --spelling cute --json", "give one of them"),
    (f"formula '{L}' '{L}'", "one is read here"),
    ("formula -", "the standard input is not read"),
    (f"prove injective '{L}' --certificate -", "/dev/stdout is the standard output"),
    (f"show '{L}' --tv 4,4 --banks", "two pictures"),
    (f"show '{L}' --svg --output a.html", "contradict each other"),
    (f"show '{L}' --output a.py", "files that end so are checked"),
    (f"prove equal '{L}' '{L}' --were 'M > 1'", "did you mean '--where'?"),
    (f"formula '{L}' --emit C", "did you mean 'c'?"),
    ("check --format Json", "did you mean 'json'?"),
    ("formula 'f32[4,4]' --at -1,0", "behind an equals sign: --at=-1"),
    (f"formula '{L}' --where 'n % 128 == 0'", "did you mean 'N'?"),
    (f"show '{L}' --size M=2,N=2 --output a.png", "--output FILE.svg, .html or .txt"),
    (f"prove injective '{L}' --where 'N > 1, N < 9'", "one fact each"),
    ("help prove", "symlayout prove --help"),
    ("help", "symlayout COMMAND --help"),
    # what a word processor makes of quotes, and a shell of those
    ("prove equal \u201cf32[M,N]1\u201d \u201cf32[M,N]0\u201d x", "write plain quotes"),
    # expressions of one's own, and of other languages
    ("prove equal 'i*N+j' 'j*M+i'", "is a map: map i < M, j < N: i*N + j"),
    (f"prove formula '{L}' '(size_t)i*N + j'", "a cast is written int64(x)"),
    (f"prove formula '{L}' '(unsigned int)i*N + j'", "a cast is written int64(x)"),
    (f"prove formula '{L}' 'static_cast<int64_t>(i)*N + j'", "a cast is written int64(x)"),
    (f"prove formula '{L}' 'int64_t(i)*N + j'", "a cast is written int64(x)"),
    (f"prove formula '{L}' '(i*N + j)*sizeof(float)'", "write the number of bytes"),
    (f"prove formula '{L}' 'np.ceil(i/N)'", "write ceildiv(a, b)"),
    # lines of a dump
    ("formula '%p = f32[16]{0} parameter(0)'", "give the shape alone"),
    ("formula 'ROOT %p = f32[16]{0} parameter(0)'", "give the shape alone"),
    ("prove instruction 'f32[3,2] transpos(f32[2,3] %p)'", "did you mean 'transpose'?"),
    ("prove instruction 'f32[3,2] transpose(%p), dimensions={1,0}'", "f32[2,3] %p"),
    # alternatives
    (f"prove injective '{L}' --where 'M in [128, 1024]'", "in braces: BLOCK in {128, 1024}"),
    (f"prove injective '{L}' --where 'M or N'", "N == 4 or N % 8 == 0"),
    # names
    ("prove injective 'f32[N,BLOCK]' --where 'N % BLOK == 0'", "did you mean 'BLOCK'?"),
    ("prove divides 4 k --where 'k % B == 0'", "--symbol B"),
    # `^` is an exclusive or
    ("prove formula 'f32[M,4]' 'i*2^2 + j'", "2^2 is 0 (exclusive or); write 2**2"),
    ("prove holds '2^3 == 8'", "2^3 is 1 (exclusive or); write 2**3"),
    (f"prove injective '{L}' --where 'M*N <= 2^31'", "write 2**31"),
    (f"prove bounded '{L}' 2^20", "write 2**20"),
    ("formula 'f32[2^k,N]'", "write 2**k"),
    ("prove bijective 'linear i [[1]*2^k] -> 2**k'", "write 2**k"),
    ("prove bounded 'f32[N]' 2^n", "write 2**n"),
    # names that a claim does not have
    ("prove injective 'f32[R,C]' --where 'R % C0 == 0'", "did you mean 'C'?"),
    (f"prove injective '{L}' --where 'N % BLK == 0'", "the names are M, N"),
    # what CUTLASS calls its layouts, and prints of them
    ("show 'Swizzle<3,4,3>' --banks", "a swizzle stands before a layout"),
    ("formula 'Sw<3,4,3>'", "a swizzle stands before a layout"),
    (
        "formula 'Layout_K_SW128_Atom<half_t>'",
        "write Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)",
    ),
    (
        "formula 'GMMA::Layout_MN_SW64_Atom<float>'",
        "Sw<2,4,3> o smem_ptr[32b](unset) o (16,8):(1,16)",
    ),
    ("formula 'Layout_K_SW32_Atom<int8_t>'", "Sw<1,4,3> o smem_ptr[8b](unset) o (8,32):(32,1)"),
    ("formula 'Sw<3,4,3> o smem_ptr[24b](unset) o (8,64):(64,1)'", "not a power of two"),
    ("formula 'Sw<3,0,3> o smem_ptr[16b](unset) o (8,64):(64,1)'", "moves parts of elements"),
    ("prove bijective SM80_16x8x16_F32F16F16F32_TN", "atom SM80_16x8x16_F32F16F16F32_TN A"),
    ("show 'atom SM80_16x8x16_F32F16F16F32_TN'", "write atom SM80_16x8x16_F32F16F16F32_TN A"),
    ("show 'atom SM90::GMMA::MMA_64x128x16_F32F16F16_SS A'", "did you mean 'SM90_64x128x16"),
    ("show 'atom SM80_16x8x16_F32F16F16F32_TM'", "did you mean 'SM80_16x8x16_F32F16F16F32_T"),
    ("show 'atom XYZ'", "`symlayout show atoms` lists the instructions"),
    ("formula 'make_tiled_copy(Copy_Atom<X>{}, a, b)'", "tv LAYOUT on (16,8)"),
    ("prove injective '(M,N):(N,1)' --banks", "symlayout show LAYOUT --banks"),
    ("prove injective '(M,N):(N,1)' --svg", "symlayout show LAYOUT --svg"),
    ("formula '(M,N:(N,1)'", "add the missing ')' before ':'"),
    ("formula '((M,2,N):((N,1),1)'", "add the missing ')' before ':'"),
    # facts under which an operation is decided
    ("prove equal 'logical_divide((M,N):(N,1), 32)' '(M,N):(N,1)'", "add --where 'M % 32 == 0'"),
    (
        "prove equal 'logical_divide((M,N):(N,1), 32)' '(M,N):(N,1)' --where 'M >= 32'",
        "add --where 'M % 32 == 0'",
    ),
    ("prove injective 'right_inverse((M,N):(S,1))'", "add --where"),
    ("formula 'logical_divide((M,8):(8,1), 16*N)'", "add --where"),
    ("prove injective 'complement((2,2):(1,S), 64)'", "add --where 'S % 2 == 0'"),
    (
        "prove injective 'logical_divide((M,N):(N,1), 32)' --where 'M <= 20'",
        "give the condition as a fact: --where FACT",
    ),
    # CuTe's and CATLASS's spellings
    ("formula '(M,N):(N,1'", "add the missing ')'"),
    ("formula '((M,2),N):((N,1),1'", "add the missing ')'"),
    ("formula '(M,N):(?,1)'", "such as S"),
    ("formula 'strided f32[M,N] strides(?,1)'", "such as S"),
    ("formula 'f32[M,N,K]{2,1,0,T(8,128)}'", "a colon stands before the properties"),
    ("formula 'f32[M,N]{1,0,E(1)}'", "a colon stands before the properties"),
    (
        "formula 'make_ordered_layout(make_shape(M,N), make_step(_1{},_0{}))'",
        "make_ordered_layout((M,N), (1,0))",
    ),
    ("formula 'GetTile(zN(f16,M,N), 0, 0)'", "symlayout prove tiles LAYOUT 16,16"),
    # arguments in CATLASS's order, too few of them, and types and functions of C++
    (
        "formula 'get_tile_layout(zN(f16,M,N), (0,0), (16,16))'",
        "write get_tile_layout(LAYOUT, TILE, COORD)",
    ),
    ("formula 'get_tile_layout(zN(f16,M,N), (16,0), (0,0))'", "a tile of 0 elements is empty"),
    ("formula 'make_layout_tile(zN(f16,M,N), (0,0))'", "write make_layout_tile(LAYOUT, TILE)"),
    ("formula 'get_tile_layout(zN(f16,M,N), (0,0))'", "get_tile_layout(LAYOUT, TILE, COORD)"),
    ("formula 'composition((8,8):(1,8))'", "write composition(LAYOUT, TILER)"),
    ("formula 'select((8,8):(1,8))'", "write select(LAYOUT, INDEX, ...)"),
    ("formula 'coalesce()'", "write coalesce(LAYOUT, [SHAPE])"),
    ("formula 'compositon((8,8):(1,8), (4,4))'", "did you mean 'composition'?"),
    ("formula 'logical_divde((8,8):(8,1), (4,4))'", "did you mean 'logical_divide'?"),
    ("formula 'zipped_product2((8,8):(8,1), (4,4))'", "did you mean 'zipped_product'?"),
    ("formula 'RoundUp(M,16)'", "write ceildiv(M, 16)*16"),
    ("prove holds 'RoundUp<16>(M) >= M'", "write ceildiv(M, 16)*16"),
    ("prove holds 'CeilDiv<16>(M) >= 1'", "write ceildiv(M, 16)"),
    ("prove holds 'CeilDiv(M, 16) >= 1'", "write ceildiv(M, 16)"),
    ("prove formula 'zN(f16,M,N)' 'i + RoundUp<16>(M)*j'", "write ceildiv(M, 16)*16"),
    ("check 'f32[1000,3]{1,0}'", "that is a layout: symlayout show 'f32[1000,3]{1,0}'"),
    ("check '(M,N):(N,1)'", "that is a layout: symlayout show '(M,N):(N,1)'"),
    ("formula 'layout::RowMajor{M,N}'", "RowMajor(M,N)"),
    ("formula 'layout::zN{M,N}'", "zN(f16,M,N)"),
    # element types with qualifiers of C++
    ("formula 'const float[n]'", "without const: f32[N]"),
    ("formula 'volatile half[n]'", "without volatile: f32[N]"),
    # questions for another command
    ("prove bank_conflict 'Swizzle(3,3,3) o 0 o (8,64):(64,1)'", "symlayout show LAYOUT --banks"),
    ("prove banks '(8,64):(64,1)'", "symlayout show LAYOUT --banks"),
    ("prove inside 'f32[M]'", "did you mean 'bounded'?"),
    ("prove within 'f32[M]'", "did you mean 'bounded'?"),
    # numbers of bytes
    ("prove bytes 'f32[4,4]' '234 KiB'", "234*1024"),
    ("prove bytes 'f32[4,4]' '2 MB'", "2*1000000"),
    # sizes of a picture
    (f"show '{L}' M=2", "--size M=2"),
    ("show 'f32[A,B]' B=2", "--size B=2"),
    ("show 'atom SM90_64x128x16_F32F16F16_SS A'", "symlayout formula LAYOUT prints the map"),
]

KERNEL = """import triton
import triton.language as tl

@triton.jit
def width(x, n):
    tl.store(x + tl.program_id(0), 1)
"""

ADD = """import triton
import triton.language as tl

{}@triton.jit
def add(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + o, tl.load(x_ptr + o, mask=o < n), mask=o < n)
"""

HEAD = "# symlayout: kernel grid (cdiv(n, BLOCK),)\n"

ARRAYS = "#   x_ptr is f32[n]\n#   y_ptr is f32[n] written once\n"

CUDA = """// symlayout: kernel grid ({}) block (256)
//   x is {}
//   y is f32[n] written once
__global__ void add(const float* x, float* y, int n) {{
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) y[i] = x[i];
}}
"""

CUTE = """template <class T, class L>
__global__ void copy(T const* S, T* D, L layout) {
  Tensor tile = make_tensor(make_gmem_ptr(S), layout);
  copy(tile(threadIdx.x, _), D);
}
"""

MODULE = "HloModule m\nENTRY %main (x: f32[4]) -> f32[4] {{\n  ROOT %x = f32[4]{{0}} {}\n}}\n"

ROUNDED = "cdiv(n, BLOCK_SIZE)"

# [a file and its text, what is typed, what the message has to say]
WITH_FILES = [
    ("a.py", ADD.format(HEAD + ARRAYS + "#   where n <= 2^40\n"), "check a.py", "write 2**40"),
    ("a.py", ADD.format(HEAD + ARRAYS + "#   where n % BLOK == 0\n"), "check a.py", "'BLOCK'?"),
    (
        "a.py",
        ADD.format(HEAD.replace("cdiv(n, BLOCK)", ROUNDED) + ARRAYS),
        "check a.py",
        "did you mean 'BLOCK'?",
    ),
    (
        "a.py",
        ADD.format(HEAD + ARRAYS + "#   where BLOCK in [128, 1024]\n"),
        "check a.py",
        "BLOCK in {128, 1024}",
    ),
    ("a.py", ADD.format(HEAD.replace("kernel ", "") + ARRAYS), "check a.py", "the word kernel"),
    (
        "a.py",
        ADD.format(HEAD + ARRAYS.replace("#  ", "# symlayout:")),
        "check a.py",
        "`#   x_ptr is",
    ),
    ("a.py", ADD.format(HEAD + ARRAYS), "check a.py::ad", "add"),
    ("a.py", ADD.format(""), "check a.py", "symlayout scan a.py"),
    (
        "a.py",
        ADD.format(HEAD + ARRAYS.replace("is f32[n]\n", "is const float[n]\n")),
        "check a.py",
        "without const: f32[N]",
    ),
    ("a.cu", CUTE, "scan a.cu", "symlayout prove injective"),
    ("m.hlo", MODULE.format("paramter(7)"), "check m.hlo", "check the opcode"),
    ("m.hlo", MODULE.format("parameter(0)\udc80"), "check m.hlo", "--xla_dump_hlo_as_text"),
    ("f.py", KERNEL, "accesses f.py::wid", "did you mean 'width'?"),
    ("f.py", KERNEL, "accesses g.py", "no such file or directory"),
    ("kernel.py", KERNEL, "accesses kernl.py", "did you mean 'kernel.py'?"),
    ("f.py", KERNEL, "accesses ''", "the name of a file is empty"),
    ("f.py", KERNEL, "accesses -", "the standard input is not read"),
    ("f.py", KERNEL, "check -", "the standard input is not read"),
    ("e.py", "\0", "scan e.py", "e.py was not scanned: it is not text"),
    ("e.json", "{}", "recheck e.json", "it has no 'format'"),
    ("e.json", '{"format": 3}', "recheck e.json", "not 'symlayout-certificate'"),
    ("e.json", "null", "recheck e.json", "prove --certificate FILE"),
    ("e.json", " \n", "recheck e.json", "it is empty"),
]

# [what is typed, what the answer suggests]: claims that are read, and are wrong for a reason
REFUTED = [
    (f"prove formula '{L}' '(i-1)*N + (j-1)'", "coordinates that count from 1"),
    (f"prove formula '{L}' 'j*N + i'", "it holds with --coords j,i"),
    (f"prove formula '{L}' 'x*N + y' --coords y,x", "it holds with --coords x,y"),
    (
        "prove formula 'strided f32[M,4] strides(M*M,1)' 'M^2*i + j'",
        "** for ^, which is exclusive or",
    ),
    ("prove holds 'n^2 == n*n'", "** for ^, which is exclusive or"),
    ("prove formula '(M,N):(N,1)' 'i*N + j^2'", "^ is the exclusive or: write j**2 for the power"),
    ("prove formula '(8,8):(8,1)' 'i^3 + j'", "^ is the exclusive or: write i**3 for the power"),
    ("prove bounded 'map i < N: i ^ 2 in N'", "^ is the exclusive or: write i**2 for the power"),
    # the true sizes of a format are the third part of shape:stride
    (
        "prove equal 'zN(f16,M,N)' "
        "'((16,ceildiv(M,16)),(16,ceildiv(N,16))):((16,256),(1,256*ceildiv(M,16)))'",
        "((16,256),(1,256*ceildiv(M,16))):(M,N)",
    ),
    (
        "prove equal '((16,7),(16,3)):((16,256),(1,1792))' 'zN(f16,100,33)'",
        "as the third part: ((16,7),(16,3)):((16,256),(1,1792)):(100,33)",
    ),
    ("prove equal 'zN(s8,40,64)' '((16,3),(32,2)):((32,512),(1,1536))'", "(1,1536)):(40,64)"),
]

READ = [
    ("composition(Swizzle<3,3,3>{}, Layout<Shape<_8,_64>,Stride<_64,_1>>{})", "(0, 1)", "1"),
    ("tiled_divide((8*M,4*N):(1,8*M), Tile<_8,_4>{})", "(1, 0, 0)", "1"),
    ("zipped_divide((16,8):(1,16), cute::Shape<_8,_4>{})", "(9, 0)", "17"),
    ("make_layout(make_shape(M,N), LayoutRight{})", "(2, 1)", "2*N + 1"),
    ("make_layout(make_shape(M,N), GenRowMajor{})", "(2, 1)", "2*N + 1"),
    ("make_layout(make_shape(M,N), cute::LayoutLeft{})", "(2, 1)", "M + 2"),
    ("make_layout(make_shape(M,make_shape(3,_2{})), LayoutRight{})", "(1, 4)", "9"),
    ("MakeLayout<half, layout::zN>(M, N)", "(1, 1)", "17"),
    ("Swizzle<3,3,3>{} o 0 o (8,64):(64,1)", "(1, 0)", "72"),
    ("Swizzle<3,3,3>{} o (8,64):(64,1)", "(1, 8)", "64"),
    ("FRACTAL_NZ(f16,M,N)", "(1, 1)", "17"),
    ("layout::zN::MakeLayout<half>(M,N)", "(1, 1)", "17"),
    ("zN::MakeLayout<half>(M,N)", "(1, 1)", "17"),
    ("Catlass::layout::zN::MakeLayout<int8_t>(M, N)", "(1, 1)", "33"),
    ("auto l = layout::nZ::MakeLayout<half>(M, N);", "(1, 1)", "17"),
    ("layout::RowMajor::MakeLayout<float>(M,N)", "(1, 1)", "N + 1"),
    ("layout::RowMajor::MakeLayout(M,N)", "(1, 1)", "N + 1"),
    ("tla :: MakeLayout(tla::MakeShape(M,N), tla::MakeStride(N,1))", "(1, 1)", "N + 1"),
    ("tla::MakeLayout(tla::MakeShape(M,N), tla::MakeStride(N,1))", "(1, 1)", "N + 1"),
    ("zN(half,M,N)", "(1, 1)", "17"),
    ("zN(int8_t,M,N)", "(1, 1)", "33"),
    ("zN(float16_t,M,N)", "(1, 1)", "17"),
    ("zN(bfloat16_t,M,N)", "(1, 1)", "17"),
    ("zN(uint8_t,M,N)", "(1, 1)", "33"),
    ("RowMajor(float,M,N)", "(1, 1)", "N + 1"),
    ("get_tile_layout(zN(f16,M,N), (16,16), (0,0))", "(1, 1)", "17"),
]


@pytest.mark.parametrize(("text", "at", "offset"), READ, ids=[row[0] for row in READ])
def test_spellings_of_cpp_are_read(text, at, offset, capsys):
    assert main(["formula", text, f"--at={at}"]) == 0
    assert capsys.readouterr().out.strip() == offset


def test_a_size_that_only_a_contract_has_is_noted(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arrays = ARRAYS.replace("f32[n]\n", "f32[n_elements]\n")
    Path("a.py").write_text(ADD.format(HEAD + arrays))
    assert main(["check", "a.py"]) == 1
    out = capsys.readouterr()
    assert "n_elements is not a parameter of the kernel add" in out.out + out.err


class Scalar:
    """A scalar of another library, on this machine's memory or elsewhere."""

    shape = ()
    dtype = "int64"

    def __init__(self, value: int | None) -> None:
        self.value = value

    def item(self) -> int | None:
        return self.value

    def __index__(self) -> int:
        if self.value is None:  # as tensors on a device, arrays of several, and tracers do
            raise TypeError("only concrete integers can be converted to an index")
        return self.value


# [a call in Python, what its error has to say]
CALLED = [
    (lambda: sl.sizes(3), "sizes('M N')"),
    (lambda: sl.simplify(None), "None is not an integer or an expression"),
    (lambda: sl.parse(None), "NoneType is not a layout"),
    (lambda: sl.parse(lambda i: i), "symlayout.index_map(function"),
    (lambda: sl.prove.injective(3), "3 is none"),
    (lambda: sl.prove.injective(L, where=3), "write facts as texts"),
    (lambda: sl.prove.injective(L, where=[None]), "write it as a text"),
    (lambda: sl.prove.injective(L, where=lambda M: M > 2), "write facts as texts"),
    (lambda: sl.prove.injective(L, where=True), "sympy.Eq"),
    (lambda: sl.prove.holds(None), "is not a relation"),
    (lambda: sl.prove.formula(L, lambda i, j: i), "symlayout.index_map(function"),
    (lambda: sl.prove.formula(L, 0.5), "0.5 is not an integer"),
    (lambda: sl.prove.formula(L, None), "None is not an integer"),
    (lambda: sl.prove.bitcast("f32[2,3]", "f32[3,2]", perm=3), "the numbers 0 to 1"),
    (lambda: sl.xla.Shape("f32", 3), "a tuple such as ('M', 128)"),
    (lambda: sl.IndexMap.strided(3, 4), "a tuple such as ('M', 128)"),
    (lambda: sl.tla.Layout(None, 1), "None is not an integer"),
    (lambda: sl.emit.emit(sl.parse(L).index_map(), None), "the targets are"),
    (lambda: sl.emit.emit(sl.parse(L).index_map(), "pyton"), "did you mean 'python'?"),
    (lambda: sl.parse(np.zeros((2, 3), dtype=object)), "element type"),
    (lambda: sl.parse(3), "give a text such as 'f32[M,N]{1,0}'"),
    (lambda: sl.parse(b"f32[4]"), "give a text such as 'f32[M,N]{1,0}'"),
    (lambda: sl.simplify(lambda i: i), "symlayout.index_map(function"),
    (lambda: sl.simplify(np.array([1, 2])), "give one number"),
    (lambda: sl.simplify(Scalar(None)), "give one number"),
    (lambda: sl.prove.bounded(L, Scalar(None)), "give one number"),
    (lambda: sl.prove.bytes(L, 2.0), "give an int, a SymPy expression or a symbol"),
    (lambda: sl.prove.formula(L, "i*N + j", coords=3), "such as i,j"),
    (lambda: sl.prove.tiles(L, 16), "such as 16,16"),
    (lambda: sl.when.condition("injectiv", L), "did you mean 'injective'?"),
    (lambda: sl.when.condition(3, L), "the claim words are"),
    (lambda: sl.IndexMap.row_major(3), "a tuple such as"),
    (lambda: sl.IndexMap.strided(("M",), (1,)), "symlayout.sizes('M') is the symbol"),
    (lambda: sl.CoordMap.identity(None), "a tuple such as"),
    (lambda: sl.parse(L).index_map().transpose(3), "a tuple such as"),
    (lambda: sl.parse(L).index_map().tile(3), "a tuple such as"),
    (lambda: sl.parse(L).index_map().named(3), "such as i,j"),
    (lambda: sl.emit.emit(None, "c"), "None is not a layout"),
    (lambda: sl.index_map(3, {"i": "M"}), "index_map(lambda i: i//8, {'i': 'M'})"),
    (lambda: sl.index_map(lambda i: i, "i < M"), "index_map(lambda i: i//8, {'i': 'M'})"),
]


@pytest.mark.sample(53)
@pytest.mark.parametrize(("typed", "said"), TYPED, ids=[t for t, _ in TYPED])
def test_a_slip_on_the_command_line_is_told(typed, said, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(shlex.split(typed)) == 2
    out = capsys.readouterr()
    assert said in out.err
    assert "Traceback" not in out.err
    assert list(Path(tmp_path).iterdir()) == []


@pytest.mark.parametrize(("file", "text", "typed", "said"), WITH_FILES)
def test_a_slip_about_a_file_is_told(file, text, typed, said, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path(file).write_text(text, encoding="utf-8", errors="surrogateescape")
    assert main(shlex.split(typed)) == 2
    out = capsys.readouterr()
    assert said in out.err
    assert "accepted" not in out.out


@pytest.mark.parametrize(
    "typed",
    [
        "prove formula '(M,8):(8,1)' 'i*8 + (j ^ i) + 1'",
        "prove equal '(M,N):(N,1)' '(M,N):(N,2)'",
        "prove formula '(M,N):(N,1)' 'i*N + j**2'",
        "prove formula '(M,N):(N,1)' 'i*N + (j^22)'",
    ],
)
def test_no_note_is_about_what_is_not_written(typed, capsys):
    assert main(shlex.split(typed)) == 1
    out = capsys.readouterr().out
    assert "exclusive or" not in out
    assert "third part" not in out


def test_a_search_that_tried_few_points_says_how_many(capsys):
    assert main(["prove", "holds", "a**64 != b**63 + 1"]) == 1
    reason = capsys.readouterr().out
    assert re.search(r"no counterexample among the \d+ points that were tried", reason)
    assert " 0 points" not in reason


@pytest.mark.parametrize(("call", "said"), CALLED, ids=[str(k) for k in range(len(CALLED))])
def test_a_slip_in_python_is_told(call, said):
    with pytest.raises(LayoutError) as e:
        call()
    assert said in str(e.value)


@pytest.mark.parametrize(("typed", "said"), REFUTED, ids=[t for t, _ in REFUTED])
def test_a_claim_that_was_meant_otherwise_says_how(typed, said, capsys):
    assert main(shlex.split(typed)) == 1
    assert said in capsys.readouterr().out.partition("help: ")[2]


def test_thirty_mistakes_say_exactly_what_to_do(capsys):
    scores = []
    for typed, said in TYPED:
        code = main(shlex.split(typed))
        told = capsys.readouterr().err
        shown = "^" in told or "'" in told.partition("\n")[0]  # the place, or what is wrong
        scores.append((code == 2) + shown + (said in told))
    assert len(scores) >= 30
    assert sum(scores) / len(scores) >= 2.8


def test_words_of_python_are_told_as_well():
    for call in (lambda: sl.prove.injectiv(L), lambda: sl.when.is_unique(L)):
        with pytest.raises(AttributeError, match="did you mean 'injective'"):
            call()
    with pytest.raises(TypeError, match=r"prove\.injective\(a: .* unexpected keyword argument"):
        sl.prove.injective(L, facts="N > 1")


def test_scalars_of_other_libraries_are_numbers():
    assert sl.prove.bounded("f32[4]", Scalar(4)).proved
    assert sl.prove.bounded("f32[4]", np.array(4)).proved
    assert sl.simplify(Scalar(3)) == 3
    assert sl.emit.emit(L, "python") == sl.emit.emit(sl.parse(L), "python")
