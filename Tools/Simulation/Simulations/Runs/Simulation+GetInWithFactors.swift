import AuthTestSupport

/// Checks without faults: an authenticator app, a passkey, and a guest who keeps the account.
extension Simulation {
    func checkThatFactorsWork() {
        let wallet = Wallet(seed: plan.seed &* 31 &+ 99, context.scheduler.clock)
        do {
            try checkPasskey(wallet)
            try checkApp(wallet)
            try checkGuest(wallet)
        } catch {
            context.violate(.allGetIn, "\(error)")
        }
    }

    private struct Refused: Error, CustomStringConvertible {
        let description: String
    }

    private func ask(
        _ path: String, _ body: JSONObject, _ bearer: String? = nil
    ) throws -> JSON {
        var request = WireRequest.post("/auth/\(path)", body)
        if let bearer { request.headers.append((name: "Authorization", value: "Bearer \(bearer)")) }
        let origin = Origin(
            person: 0, device: 1300 + context.nextNumber() % 100, process: 0, isThief: false)
        guard let answer = serve(request, origin), (200..<300).contains(answer.status) else {
            throw Refused(description: "\(path) is refused")
        }
        guard !answer.body.isEmpty else { return .object([:]) }
        return try JSON.parse(answer.body, limits: .event)
    }

    private func text(_ json: JSON, _ name: String) throws -> String {
        guard let text = json[name]?.stringValue else {
            throw Refused(description: "an answer without \(name)")
        }
        return text
    }

    private func ceremony(
        _ purpose: JSON, _ answer: ([UInt8]) throws -> [UInt8]
    ) throws -> JSONObject {
        let begun = try ask("passkeys/options", ["purpose": purpose])
        guard let options = begun["options"] else {
            throw Refused(description: "a ceremony without options")
        }
        let credential = try JSON.parse(try answer(options.serialized), limits: .event)
        return ["ceremony": .string(try text(begun, "ceremony")), "credential": credential]
    }

    /// Creates an account with a passkey, and signs in to it again.
    private func checkPasskey(_ wallet: Wallet) throws {
        let new = try ceremony("signUp") { try wallet.makePasskey($0) }
        _ = try ask("passkeys/signup", new)
        let used = try ceremony("signIn") { try wallet.usePasskey(0, $0) }
        _ = try ask("passkeys/signin", used)
    }

    private func signIn(_ serial: Int) throws -> JSON {
        let nonce = try text(try ask("challenge", [:]), "nonce")
        return try ask(
            "signin",
            [
                "provider": "apple", "idToken": .string("apple|subject-new||\(serial)"),
                "nonce": .string(nonce),
            ])
    }

    private func checkApp(_ wallet: Wallet) throws {
        let first = try text(try signIn(11), "accessToken")
        let secret = try text(try ask("totp", [:], first), "secret")
        _ = try ask("totp/confirm", ["code": .string(wallet.addApp(secret: secret))], first)
        context.scheduler.clock.advance(by: .seconds(31))
        let pending = try signIn(12)
        let ticket = try text(pending, "ticket")
        _ = try ask(
            "second-factor",
            ["ticket": .string(ticket), "code": .string(wallet.code(of: wallet.apps[0]))])
    }

    /// The guest's account gets a sign-in method.
    private func checkGuest(_ wallet: Wallet) throws {
        let guest = try text(try ask("guest", [:]), "accessToken")
        let nonce = try text(try ask("challenge", [:]), "nonce")
        _ = try ask(
            "methods",
            [
                "provider": "apple", "idToken": "apple|subject-guest||1", "nonce": .string(nonce),
            ], guest)
    }
}
