package import Contracts
package import FunctionRuntime

// Functions of an application that authenticate requests themselves. An API Gateway authorizer can
// authenticate them too, but an HTTP API then responds to a refused token with 403 and its own
// body, and apps refresh their tokens only after a 401.
extension LatchkeyFunction {
    /// Serves an application's own endpoints under the configured contract: its tokens, its rules
    /// and its errors.
    ///
    ///     LatchkeyFunction.run(
    ///         "notes", "Keeps the notes of a signed-in user.",
    ///         content: [
    ///             .signedIn(AuthOperation("listNotes"), .get("/notes")) { call, user, auth in … }
    ///
    /// Endpoints of `.signedIn` need neither the master key (except under HS256) nor any right to
    /// write: they only read the token's session and user, and the public signing keys.
    package static func run(
        _ name: String, _ summary: String, content endpoints: [Endpoint]
    ) -> Never {
        start(name, summary) { assembly, log throws(StartFailure) in
            try handler(content: endpoints, assembly, log)
        }
    }

    /// The handler of `run(_:_:content:)`.
    package static func handler(
        content endpoints: [Endpoint], _ assembly: Assembly, _ log: Log
    ) throws(StartFailure) -> Handler {
        serve(
            try assembly.build(
                serving: { _, reader in
                    if endpoints.isEmpty { reader.refuse("there is no endpoint to serve") }
                    return endpoints
                },
                reporting: AssemblyReports(log)), log)
    }
}
