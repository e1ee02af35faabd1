// An application's own routes under the contract shell: its items, and the profile of a user. Each
// request is verified here; without a valid token the response is 401, and the app refreshes.
import AuthComposition
import AuthDomain
import AuthOperations
import Bytes
import Contracts
import ExampleRows
import JSON

private func items(_ auth: AuthServices, _ principal: Principal) -> UserRows {
    UserRows(auth, "ITEMS", of: principal.user.id, member: "name")
}

LatchkeyFunction.run(
    "items", "Keeps the items of a signed-in user, and shows the user's profile.",
    content: [
        .signedIn(AuthOperation("listItems"), .get("/v1/items")) { _, principal, auth in
            Answer(["items": try items(auth, principal).all()])
        },
        .signedIn(AuthOperation("addItem"), .post("/v1/items")) { call, principal, auth in
            let name = try call.body.required("name")
            return Answer(201, try items(auth, principal).add(name))
        },
        .signedIn(
            AuthOperation("profile"), .get("/v1/users/{userID}/profile")
        ) { call, principal, _ in
            // The same response for another user's ID and for an ID that does not exist.
            guard call.parameter("userID").isSame(as: principal.user.id.text) else {
                throw RequestError.notFound
            }
            return Answer([
                "userID": .string(principal.user.id.text),
                "email": principal.user.email.map { .string($0) } ?? .null,
            ])
        },
    ])
