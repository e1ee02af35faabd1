import AuthComposition

LatchkeyFunction.runContract(
    "latchkey", "Serves every operation of a contract in one process.")
