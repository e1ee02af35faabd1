import AuthComposition
import FunctionRuntime
import OperatorCommands

// All functions in one executable, which acts as the function whose name it was started under. A
// debug build links it once, and gives it their names (scripts/build), instead of linking each
// function.

let path = CommandLine.arguments.first ?? ""
let name = path.split(separator: "/").last.map(String.init) ?? path
switch name {
case "authorizer": LatchkeyFunction.runAuthorizer(name, "Authorizes requests for an API gateway.")
case "latchkey":
    LatchkeyFunction.runContract(
        name, "Serves every operation of a contract in one process.",
        commands: { OperatorCommand.all })
default: LatchkeyFunction.run(name, "The function \(name), built for debugging.")
}
