"""What lowers each kind of node of tree-sitter's: a kind of C's that is new is a row and a function."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from symlayout.programs.kernels.c.lowering import (
    assembly,
    calls,
    changes,
    declarations,
    expressions,
    loops,
    places,
    statements,
    whiles,
)
from symlayout.programs.kernels.c.lowering.context import Lowering, Rules
from symlayout.programs.kernels.c.lowering.trees import Source, Tree
from symlayout.programs.kernels.program.nodes import Expression, Statement

EXPRESSIONS: Mapping[str, Callable[[Lowering, Tree], Expression]] = {
    "assignment_expression": changes.assignment_expression,
    "binary_expression": expressions.binary_expression,
    "call_expression": calls.call_expression,
    "cast_expression": calls.cast_expression,
    "char_literal": expressions.text_literal,
    "comma_expression": changes.comma_expression,
    "condition_clause": expressions.condition_clause,
    "conditional_expression": expressions.conditional_expression,
    "false": expressions.truth_literal,
    "field_expression": expressions.field_expression,
    "gnu_asm_expression": assembly.gnu_asm_expression,
    "identifier": expressions.identifier_expression,
    "initializer_pair": expressions.initializer_pair,
    "null": expressions.null_literal,
    "number_literal": expressions.number_literal,
    "parenthesized_expression": expressions.parenthesized_expression,
    "pointer_expression": places.pointer_expression,
    "qualified_identifier": expressions.qualified_identifier,
    "sizeof_expression": calls.sizeof_expression,
    "string_literal": expressions.text_literal,
    "subscript_expression": places.subscript_expression,
    "true": expressions.truth_literal,
    "type_identifier": expressions.identifier_expression,
    "unary_expression": expressions.unary_expression,
    "update_expression": changes.update_expression,
}
STATEMENTS: Mapping[str, Callable[[Lowering, Tree], list[Statement]]] = {
    "alias_declaration": statements.type_definition,
    "attributed_statement": statements.attributed_statement,
    "break_statement": statements.break_statement,
    "class_specifier": statements.struct_specifier,
    "comment": statements.no_statement,
    "compound_statement": statements.compound_statement,
    "continue_statement": statements.continue_statement,
    "declaration": declarations.declaration,
    "do_statement": whiles.do_statement,
    "else_clause": statements.else_clause,
    "empty_statement": statements.no_statement,
    "enum_specifier": statements.enum_specifier,
    "expression_statement": statements.expression_statement,
    "for_statement": loops.for_statement,
    "goto_statement": statements.goto_statement,
    "if_statement": statements.if_statement,
    "labeled_statement": statements.goto_statement,
    "namespace_alias_definition": statements.no_statement,
    "preproc_call": statements.no_statement,
    "preproc_def": statements.no_statement,
    "preproc_elif": statements.preproc_ifdef,
    "preproc_else": statements.preproc_else,
    "preproc_function_def": statements.no_statement,
    "preproc_if": statements.preproc_ifdef,
    "preproc_ifdef": statements.preproc_ifdef,
    "return_statement": statements.return_statement,
    "static_assert_declaration": statements.no_statement,
    "struct_specifier": statements.struct_specifier,
    "switch_statement": statements.switch_statement,
    "type_definition": statements.type_definition,
    "union_specifier": statements.struct_specifier,
    "using_declaration": statements.using_declaration,
    "while_statement": whiles.while_statement,
}
RULES = Rules(EXPRESSIONS, STATEMENTS, expressions.unfollowed)


def new_lowering(source: Source) -> Lowering:
    """What a function is lowered by, with nothing declared yet."""
    return Lowering(source, RULES)
