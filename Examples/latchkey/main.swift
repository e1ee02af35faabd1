// An application's own function behind Latchkey's tokens. It verifies each request itself: a
// missing, expired or revoked token is answered with 401, exactly as by the sign-in functions, and
// an app that gets 401 refreshes its tokens and tries again.
import AuthComposition
import AuthDomain
import AuthOperations
import Contracts
import ExampleRows
import JSON

private func notes(_ auth: AuthServices, _ principal: Principal) -> UserRows {
    UserRows(auth, "NOTES", of: principal.user.id, member: "text")
}

LatchkeyFunction.run(
    "notes", "Keeps the notes of a signed-in user.",
    content: [
        .signedIn(AuthOperation("listNotes"), .get("/notes")) { _, principal, auth in
            Answer(["notes": try notes(auth, principal).all()])
        },
        .signedIn(AuthOperation("writeNote"), .post("/notes")) { call, principal, auth in
            let text = try call.body.required("text")
            return Answer(201, try notes(auth, principal).add(text))
        },
    ])
