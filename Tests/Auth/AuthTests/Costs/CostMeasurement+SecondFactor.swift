import AuthDomain
import AuthOperations
import AuthTestSupport
import KeyValueStore
import Time

extension CostMeasurement {
    func measureSecondFactors() throws {
        let kit = try kit {
            $0.secondFactors = SecondFactorPolicy()
            $0.limits += [
                RateLimit(.secondFactor, per: .address, 30, in: .minutes(5)),
                RateLimit(.secondFactor, per: .account, 5, in: .minutes(5)),
                RateLimit(.enrolAuthenticator, per: .account, 10, in: .minutes(15)),
            ]
        }
        let session = try session(kit, of: "protected")
        var app: OneTimePassword?
        try measure(.enrolAuthenticator, "enrolled") {
            app = try kit.auth.enrolAuthenticator(signed(session)).password
        }
        guard let app else { return }
        var output: ConfirmAuthenticator.Output?
        try measure(.confirmAuthenticator, "enabled") {
            output = try kit.auth.confirmAuthenticator(code: kit.code(of: app), signed(session))
        }
        guard let output else { return }
        var result: SignInResult?
        try measure(.signIn, "known account, second factor required", tripsMax: 3) {
            result = try kit.signIn(fake.gateway)(input("protected"), Self.caller).result
        }
        let ticket = try kit.ticket(result)
        try measureRefusal(.secondFactor, "wrong code") { () throws(AuthError) in
            _ = try kit.auth.completeSignIn(ticket: ticket, .code("x"), Self.caller)
        }
        try measure(.secondFactor, "right code") {
            _ = try kit.auth.completeSignIn(
                ticket: ticket, .code(kit.code(of: app)), Self.caller)
        }
        try measure(.replaceRecoveryCodes, "replaced") {
            _ = try kit.auth.replaceRecoveryCodes(
                code: kit.code(of: app), signed(output.tokens))
        }
        try measure(.removeAuthenticator, "removed") {
            _ = try kit.auth.removeAuthenticator(.code(kit.code(of: app)), signed(output.tokens))
        }
    }
}
