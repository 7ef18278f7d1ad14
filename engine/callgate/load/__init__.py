"""YAML text → documents with positions, checked against the schema of their kind.

files      where a bundle lies; its files' bytes (no YAML: for caches)
source     bytes → text; offsets → lines and columns
events, tree, anchors, nodes, scalars    text → a tree with positions, without YAML's traps
yaml_errors, cut    what YAML stumbled over, or swallowed, in words
schemas, verdict    the schemas of `grammar/`, and their fast answer "valid"
schema_errors, schema_keys, schema_words, words    what a schema does not allow, in words
prune      leaving out what was reported, so that the rest can be checked
document, positions    data, spans, and the way from a scalar's value back to the file
reader, bundle    a file, a bundle
settings, settings_types, settings_file    an operator's settings
report     how a diagnostic is printed
"""
