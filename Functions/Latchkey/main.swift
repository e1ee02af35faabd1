import AuthComposition
import OperatorCommands

LatchkeyFunction.runContract(
    "latchkey", "Sign-in for apps: every operation of a contract in one server.",
    commands: { OperatorCommand.all })
