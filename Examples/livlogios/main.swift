// An application's own routes under the contract livlogios: the entries of a user's journal. The
// tokens are verified by public keys, so this function has no master key.
import AuthComposition
import AuthDomain
import AuthOperations
import Contracts
import ExampleRows
import JSON

private func entries(_ auth: AuthServices, _ principal: Principal) -> UserRows {
    UserRows(auth, "ENTRIES", of: principal.user.id, member: "text")
}

LatchkeyFunction.run(
    "entries", "Keeps the journal of a signed-in user.",
    content: [
        .signedIn(AuthOperation("listEntries"), .get("/api/v1/entries")) { _, principal, auth in
            Answer(["entries": try entries(auth, principal).all()])
        },
        .signedIn(AuthOperation("addEntry"), .post("/api/v1/entries")) { call, principal, auth in
            let text = try call.body.required("text")
            return Answer(201, try entries(auth, principal).add(text))
        },
    ])
