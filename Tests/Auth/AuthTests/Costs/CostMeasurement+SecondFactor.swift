import AuthDomain
import AuthOperations
import AuthTestSupport
import KeyValueStore
import Time

extension CostMeasurement {
    func measureSecondFactors() throws {
        let kit = try kit {
            $0.secondFactors = SecondFactorPolicy()
            $0.devices = DevicePolicy()
            $0.limits += [
                RateLimit(.secondFactor, per: .address, 30, in: .minutes(5)),
                RateLimit(.secondFactor, per: .account, 5, in: .minutes(5)),
                RateLimit(.enrolAuthenticator, per: .account, 10, in: .minutes(15)),
                RateLimit(.stepUp, per: .address, 60, in: .minutes(1)),
                RateLimit(.stepUp, per: .account, 10, in: .minutes(15)),
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
        kit.clock.advance(by: .seconds(30))
        try measure(.stepUp, "by a code") {
            _ = try kit.auth.stepUp(
                .secondFactor(.code(kit.code(of: app))), signed(output.tokens))
        }
        kit.clock.advance(by: .seconds(30))
        try measureDevices(kit, output.tokens, app)
        // Only a recent sign-in may remove it.
        let next = try kit.ticket(
            kit.signIn(fake.gateway)(input("protected"), Self.caller).result)
        let recent = try kit.auth.completeSignIn(
            ticket: next, .code(kit.code(of: app)), Self.caller)
        kit.clock.advance(by: .seconds(60))
        try measure(.removeAuthenticator, "removed") {
            _ = try kit.auth.removeAuthenticator(.code(kit.code(of: app)), signed(recent))
        }
    }

    private func measureDevices(
        _ kit: AuthKit, _ tokens: SessionTokens, _ app: OneTimePassword
    ) throws {
        func principal(_ operation: AuthOperation) throws(AuthError) -> Principal {
            try kit.auth.authenticate(signed(tokens), for: operation)
        }
        let device = try principal(.me).session.origin.device?.text ?? ""
        try measure(.trustDevice, "trusted") {
            _ = try kit.auth.trustDevice(
                device, code: kit.code(of: app), signed(tokens))
        }
        try measure(.listDevices, "one device") {
            _ = try kit.auth.listDevices(try principal(.listDevices))
        }
        var other = input("unprotected")
        other.device = DeviceClaim(fingerprint: "phone")
        _ = try kit.signIn(fake.gateway)(other, Self.caller)
        other = input("unprotected")
        other.device = DeviceClaim(fingerprint: "tablet")
        let second = other
        var output: SignIn.Output?
        try measure(.signIn, "known account, new device", tripsMax: 3) {
            output = try kit.signIn(fake.gateway)(second, Self.caller)
        }
        guard let mine = output?.tokens else { return }
        try measure(.revokeDevice, "one session ended", tripsMax: 3) {
            let caller = try kit.auth.authenticate(signed(mine), for: .revokeDevice)
            let id = caller.session.origin.device?.text ?? ""
            try kit.auth.revokeDevice(id, caller, signed(mine))
        }
    }
}
