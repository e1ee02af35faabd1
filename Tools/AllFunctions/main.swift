import AuthComposition
import FunctionRuntime
import OperatorCommands

// All functions in one executable, which runs the function with the name by which it is called. A
// debug build links this executable once and adds a link for each function (scripts/build), instead
// of linking every function.

let path = CommandLine.arguments.first ?? ""
let name = path.split(separator: "/").last.map(String.init) ?? path
switch name {
case "authorizer": LatchkeyFunction.runAuthorizer(name, "Authorizes requests for an API gateway.")
case "latchkey":
    LatchkeyFunction.runContract(
        name, "Sign-in for apps: every operation of a contract in one server.",
        commands: { OperatorCommand.all })
default: LatchkeyFunction.run(name, "The function \(name), built for debugging.")
}
