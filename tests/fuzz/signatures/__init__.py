"""How each operation is called. A line of a `TABLE` says names, and each argument with its kind.

`?` behind a kind: given half of the time (`??`: rarely); `*` before a name: by keyword alone; `~` before an
operation: its values are random. `F.` is `nn.functional.`, `L.` `linalg.`, `S.` `special.`, `T.` a method.
"""
