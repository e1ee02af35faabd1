import AuthComposition

LatchkeyFunction.run("audit", "Shows and verifies the audit log; lists sessions for the operator.")
