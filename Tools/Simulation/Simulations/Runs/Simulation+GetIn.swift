import AuthTestSupport
import LatchkeyClient

extension Simulation {
    /// Without faults, every sign-in method works.
    func checkThatAllGetIn() {
        context.scheduler.clock.advance(by: .hours(30))
        var address = 200
        func ask(_ path: String, _ body: JSONObject) -> (status: Int, body: JSON) {
            address += 1
            guard let asked = self.ask("/auth/\(path)", body, from: address) else {
                return (0, .object([:]))
            }
            return (
                asked.answer.status,
                (try? JSON.parse(asked.answer.body, limits: .event)) ?? .object([:])
            )
        }
        func expect(_ what: String, _ status: Int) {
            if !(200..<300).contains(status) {
                context.violate(.allGetIn, "\(what) is answered \(status)")
            }
        }
        var provider: JSONObject = ["provider": "apple", "idToken": "apple|subject-new||1"]
        if dialect.has(.challenge) {
            provider["nonce"] = ask("challenge", [:]).body["nonce"] ?? .string("")
        }
        expect("a sign-in with a provider", ask("signin", provider).status)
        guard dialect.has(.register) else { return }
        let email: JSON = "somebody@example.com"
        let password = JSON.string(dialect.password("correct horse somebody"))
        func mailed(_ path: String, _ body: JSONObject) -> (token: JSON, secret: JSON) {
            let asked = ask(path, body)
            expect(path, asked.status)
            deployment.keepHouse()
            let letters = facts.mails.read(
                deployment.kit.mail.mails, at: context.scheduler.steps)
            return (
                .string(letters.last?.token ?? ""), asked.body["requestSecret"] ?? .string("")
            )
        }
        let registration = mailed("register", ["email": email, "password": password])
        if dialect.has(.verifyEmail) {
            var proof: JSONObject = ["token": registration.token]
            if dialect.hasEverything { proof["password"] = password }
            expect("a registration", ask("verify-email", proof).status)
        }
        expect("a log-in", ask("login", ["email": email, "password": password]).status)
        if dialect.has(.redeemLink) {
            let link = mailed("magic-link", ["email": email])
            var proof: JSONObject = ["token": link.token]
            if dialect.hasEverything { proof["requestSecret"] = link.secret }
            expect("a mailed link", ask("magic-link/redeem", proof).status)
        }
        let reset = mailed("forgot-password", ["email": email])
        let other = JSON.string(dialect.password("correct horse somebody else"))
        expect(
            "a new password",
            ask("reset-password", ["token": reset.token, "newPassword": other]).status)
        expect("a log-in", ask("login", ["email": email, "password": other]).status)
    }
}
