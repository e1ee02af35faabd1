import BaseTestSupport

/// A request whose function is killed, and the user's next requests. There is one for each kind of
/// effect outside of the function: rows of the store, a mail, the object storage with Apple. The
/// simulation kills the functions of all operations (docs/simulation.md).
struct InterruptedFlow: CustomTestStringConvertible, Sendable {
    let name: String
    /// The minimum number of calls with an effect outside of the function.
    let changesMin: Int
    /// Makes the requests of a new user that precede the interrupted one.
    let begin: @Sendable (Person) throws -> Interruption

    var testDescription: String { name }

    static let all = passwords + deletions
}

struct Interruption {
    let request: Command
    /// Checks that nothing is lost or half done, and that the next requests succeed.
    let verify: (_ hasReplied: Bool) throws -> Void
}

/// A user of a deployment, and their requests.
struct Person: Sendable {
    let deployment: InterruptibleDeployment
    let email: String
    let password = "correct horse battery"
    /// The killed step.
    let place: Comment

    init(_ deployment: InterruptibleDeployment, place: String) {
        self.deployment = deployment
        self.place = "\(place)"
        email = "\(place.lowercased())@\(deployment.mailDomain)"
    }

    // MARK: Requests

    var account: JSON {
        ["email": .string(email), "password": .string(password)]
    }

    func register() throws -> Answer { try deployment.run("register", account) }

    func verify(_ token: String) throws -> Answer {
        try deployment.run(
            "verify-email", ["token": .string(token), "password": .string(password)])
    }

    func logIn(_ password: String? = nil) throws -> Answer {
        try deployment.run(
            "login",
            ["email": .string(email), "password": .string(password ?? self.password)])
    }

    func send(_ command: Command) throws -> Answer { try Answer(ChildProcess.run(command)) }

    // MARK: Mail

    func registrationLinks() throws -> [String] {
        try deployment.links("verify-email", to: email)
    }

    /// Registers and verifies the address.
    func makeAccount() throws {
        try expectEqual(register().status, 202, place)
        let link = try #require(try registrationLinks().first, place)
        try expectEqual(verify(link).status, 201, place)
    }
}
