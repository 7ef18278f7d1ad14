"""Calls and a decision graph → decisions.

check      a call → a checked snapshot, the frame
risk       risk and capabilities of a frame
codegen, operators     conditions → Python lambdas
nodes, guards, answers, interpreter    the walk
render, masking        a decision → its JSON form, safe to show
reference*             the plain second evaluator, which the tests compare the walk with
"""
