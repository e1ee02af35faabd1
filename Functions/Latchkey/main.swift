import AuthComposition
import OperatorCommands

LatchkeyFunction.runContract(
    "latchkey", "Serves every operation of a contract in one process.",
    commands: { OperatorCommand.all })
