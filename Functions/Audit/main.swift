import AuthComposition

LatchkeyFunction.run("audit", "Shows the audit log, and verifies it.")
