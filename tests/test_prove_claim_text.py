"""A verdict's claim is what a command line would say: it is read again, and the certificate agrees."""

from __future__ import annotations

import shlex

import pytest

from symlayout import Claim, IndexMap, parse, prove, sizes

M, N = sizes("M N")
TEXT = "f32[M,N]{1,0}"
ASKED = [
    ("equal", (TEXT, TEXT), {}, 'equal "f32[M,N]{1,0}" "f32[M,N]{1,0}"'),
    ("valid", (TEXT,), {}, 'valid "f32[M,N]{1,0}"'),
    ("padding", (TEXT, 1.5), {}, 'padding "f32[M,N]{1,0}" 1.5'),
    ("bytes", (TEXT, "4*M * N"), {}, 'bytes "f32[M,N]{1,0}" "4*M * N"'),
    ("bounded", (TEXT,), {}, 'bounded "f32[M,N]{1,0}"'),
    ("aligned", (TEXT, 4), {"dim": 1}, 'aligned "f32[M,N]{1,0}" 4 --dim 1'),
    ("divides", (2, 4 * M), {}, 'divides 2 "4*M"'),
    ("holds", ("M > 0",), {}, 'holds "M > 0"'),
    (
        "bitcast",
        (TEXT, "f32[N,M]{0,1}"),
        {"perm": (1, 0)},
        'bitcast "f32[M,N]{1,0}" "f32[N,M]{0,1}" --perm 1,0',
    ),
    (
        "formula",
        (TEXT, "a*N + b"),
        {"coords": "a b", "language": "c"},
        'formula "f32[M,N]{1,0}" "a*N + b" --coords a,b --language c',
    ),
    (
        "instruction",
        ("f32[N,M] transpose(f32[M,N]), dimensions={1,0}",),
        {},
        'instruction "f32[N,M] transpose(f32[M,N]), dimensions={1,0}"',
    ),
    (
        "tiles",
        ("zN(f16, 64, 64)", (16, 16)),
        {"at": "16, 32"},
        'tiles "zN(f16, 64, 64)" "16,16" --at 16,32',
    ),
    (
        "broadcast",
        ("f32[M,1]", "f32[M,N]"),
        {"dialect": "numpy"},
        'broadcast "f32[M,1]" "f32[M,N]" --dialect numpy',
    ),
]


@pytest.mark.parametrize(("word", "arguments", "options", "text"), ASKED)
def test_a_claim_is_spelled_as_a_command_line_reads_it(word, arguments, options, text):
    verdict = getattr(prove, word)(*arguments, **options)
    assert verdict.proved
    assert verdict.claim == text
    read = Claim.parse(text)
    again = getattr(prove, word)(*read.arguments, **dict(read.options))
    assert again.claim == text
    assert again.status == verdict.status


@pytest.mark.parametrize(("word", "arguments", "options", "text"), ASKED)
def test_the_certificate_of_the_text_is_for_that_claim(word, arguments, options, text):
    from symlayout import recheck

    read = Claim.parse(text)
    verdict = getattr(prove, word)(*read.arguments, **dict(read.options))
    if verdict.certificate is not None:
        answer = recheck(verdict.certificate, verdict.claim)
        assert answer.ok, answer.failures
        assert shlex.split(answer.claim) == shlex.split(verdict.claim)


def test_layouts_and_maps_are_named_by_their_text():
    layout = parse(TEXT)
    for given in (TEXT, layout, layout.index_map()):
        assert prove.injective(given).claim == 'injective "f32[M,N]{1,0}"'
    assert prove.broadcast((M, 1), (M, N)).claim == 'broadcast "[M,1]" "[M,N]"'
    plain = IndexMap.row_major((M, N))
    assert prove.injective(plain).claim == 'injective "map i < M, j < N: N*i + j in M*N"'
    assert prove.injective("Swizzle(1,0,1) o 0 o (4):(1)").claim.startswith('injective "Swizzle')
