// An application's own routes under the contract whateat: what a user has eaten. A request without
// a valid token is answered with 401 in the contract's own format, and the app refreshes.
import AuthComposition
import AuthDomain
import AuthOperations
import Contracts
import ExampleRows
import JSON

private func meals(_ auth: AuthServices, _ principal: Principal) -> UserRows {
    UserRows(auth, "MEALS", of: principal.user.id, member: "name")
}

LatchkeyFunction.run(
    "meals", "Keeps the meals of a signed-in user.",
    content: [
        .signedIn(AuthOperation("listMeals"), .get("/api/v1/meals")) { _, principal, auth in
            Answer(["meals": try meals(auth, principal).all()])
        },
        .signedIn(AuthOperation("addMeal"), .post("/api/v1/meals")) { call, principal, auth in
            let name = try call.body.required("name")
            return Answer(201, try meals(auth, principal).add(name))
        },
    ])
