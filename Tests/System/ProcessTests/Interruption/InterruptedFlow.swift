import JSON
import TestSupport
import Testing

/// A request whose function is killed, and the user's next requests.
struct InterruptedFlow: CustomTestStringConvertible, Sendable {
    let name: String
    var contract = "latchkey"
    /// Accepted by the contract.
    var password = "correct horse battery"
    /// Whether a receiver is sent the events of the audit log.
    var hasWebhooks = false
    /// The minimum number of calls with an effect outside of the function.
    let changesMin: Int
    /// Makes the requests of a new user that precede the interrupted one.
    let begin: @Sendable (Person) throws -> Interruption

    var testDescription: String { name }

    static let all = passwords + magicLinks + methods + deletions + webhooks
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
    let password: String
    /// The killed step.
    let place: Comment

    init(_ deployment: InterruptibleDeployment, place: String, _ password: String) {
        self.deployment = deployment
        self.password = password
        self.place = "\(place)"
        email = "\(place.lowercased())@\(deployment.mailDomain)"
    }

    // MARK: Requests

    var account: JSON {
        [
            "email": .string(email), "password": .string(password),
            "confirmPassword": .string(password),
        ]
    }

    func register() throws -> Answer { try deployment.run("register", account) }

    func verification(_ token: String) -> JSON {
        ["token": .string(token), "password": .string(password)]
    }

    func verify(_ token: String) throws -> Answer {
        try deployment.run("verify-email", verification(token))
    }

    func logIn(_ password: String? = nil, as email: String? = nil) throws -> Answer {
        try deployment.run(
            "login",
            [
                "email": .string(email ?? self.email),
                "password": .string(password ?? self.password),
            ])
    }

    var forgotPassword: Command { deployment.command("forgot-password", ["email": .string(email)]) }

    func resetPassword(_ token: String, to password: String) -> Command {
        deployment.command(
            "reset-password", ["token": .string(token), "newPassword": .string(password)])
    }

    func send(_ command: Command) throws -> Answer { try Answer(ChildProcess.run(command)) }

    // MARK: Mail

    func registrationLinks() throws -> [String] {
        try deployment.links("verify-email", to: email)
    }

    func resetLinks() throws -> [String] { try deployment.links("reset-password", to: email) }

    /// Registers and verifies the address.
    func makeAccount() throws {
        try expectEqual(register().status, 202, place)
        let link = try #require(try registrationLinks().first, place)
        try expectEqual(verify(link).status, 201, place)
    }
}
