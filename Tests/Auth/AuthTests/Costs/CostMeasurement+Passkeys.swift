import AuthDomain
import AuthOperations
import AuthTestSupport
import Time
import WebAuthn
import WebAuthnTestSupport

extension CostMeasurement {
    func measurePasskeys() throws {
        let kit = try kit {
            $0.passkeys = PasskeyPolicy()
            $0.secondFactors = SecondFactorPolicy()
            $0.devices = DevicePolicy()
            $0.limits += [
                RateLimit(.passkeyOptions, per: .address, 120, in: .minutes(1)),
                RateLimit(.signUpWithPasskey, per: .address, 30, in: .hours(1)),
                RateLimit(.signInWithPasskey, per: .address, 60, in: .minutes(1)),
                RateLimit(.signInWithPasskey, per: .account, 10, in: .minutes(1)),
                RateLimit(.secondFactor, per: .address, 30, in: .minutes(5)),
                RateLimit(.addPasskey, per: .account, 10, in: .minutes(15)),
                RateLimit(.removePasskey, per: .account, 10, in: .minutes(15)),
                RateLimit(.stepUp, per: .address, 60, in: .minutes(1)),
                RateLimit(.stepUp, per: .account, 10, in: .minutes(15)),
            ]
        }
        var passkey = try SoftwareAuthenticator()
        let tokens = try measureSignUp(kit, &passkey)
        try measureSignIn(kit, passkey)
        try measureStepUp(kit, passkey, tokens)
        try measureOwn(kit, tokens)
        try measurePasskeyAsSecondFactor(kit)
        for operation in [AuthOperation.relatedOrigins, .appleAppSiteAssociation, .assetLinks] {
            try measure(operation, "always", tripsMax: 0) { _ = try kit.auth.passkeys.documents }
        }
    }

    private func measureSignUp(
        _ kit: AuthKit, _ passkey: inout SoftwareAuthenticator
    ) throws -> SessionTokens {
        var begun: BegunCeremony?
        try measure(.passkeyOptions, "for a sign-up") {
            begun = try kit.begin(.signUp(email: nil, name: nil), Self.caller)
        }
        guard let begun else { throw AuthKit.KitFailure.noSession }
        passkey.userHandle = begun.userHandle
        let input = SignUpWithPasskey.Input(
            ceremony: begun.secret, try passkey.registration(begun.challenge).response)
        var tokens: SessionTokens?
        try measure(.signUpWithPasskey, "account made") {
            tokens = try kit.auth.signUpWithPasskey(input, Self.caller)
        }
        guard let tokens else { throw AuthKit.KitFailure.noSession }
        return tokens
    }

    private func measureStepUp(
        _ kit: AuthKit, _ passkey: SoftwareAuthenticator, _ tokens: SessionTokens
    ) throws {
        var begun: BegunCeremony?
        try measure(.passkeyOptions, "for a step-up") {
            begun = try kit.begin(.stepUp, signed(tokens))
        }
        guard let begun else { return }
        let response = try passkey.assertion(begun.challenge).response(signedWith: passkey.key)
        try measure(.stepUp, "by a passkey") {
            _ = try kit.auth.stepUp(
                .passkey(ceremony: begun.secret, response), signed(tokens))
        }
    }

    private func measureSignIn(_ kit: AuthKit, _ passkey: SoftwareAuthenticator) throws {
        var begun: BegunCeremony?
        try measure(.passkeyOptions, "for a sign-in") {
            begun = try kit.begin(.signIn, Self.caller)
        }
        guard let begun else { return }
        try measure(.signInWithPasskey, "known passkey", tripsMax: 3) {
            _ = try kit.signIn(with: passkey, in: begun.secret, begun.challenge, Self.caller)
        }
        try measureRefusal(.signInWithPasskey, "used ceremony", tripsMax: 1) {
            () throws(AuthError) in
            throw kit.error {
                _ = try kit.signIn(with: passkey, in: begun.secret, begun.challenge, Self.caller)
            } ?? .fault(.unexpectedError)
        }
        var forged = passkey
        forged.key = try .es256(seed: 99)
        for (situation, other) in [
            ("wrong signature", forged), ("unknown passkey", try SoftwareAuthenticator(seed: 99)),
        ] {
            let next = try kit.begin(.signIn, Self.caller)
            try measureRefusal(.signInWithPasskey, situation, tripsMax: 3) {
                () throws(AuthError) in
                throw kit.error {
                    _ = try kit.signIn(with: other, in: next.secret, next.challenge, Self.caller)
                } ?? .fault(.unexpectedError)
            }
        }
    }

    private func measureOwn(_ kit: AuthKit, _ tokens: SessionTokens) throws {
        // Only a recent sign-in may change them.
        clock.advance(by: .minutes(-7))
        var passkey = try SoftwareAuthenticator(seed: 2)
        var begun: BegunCeremony?
        try measure(.passkeyOptions, "for another passkey") {
            begun = try kit.begin(.add(isConditional: false), signed(tokens))
        }
        guard let begun else { return }
        passkey.userHandle = begun.userHandle
        let input = AddPasskey.Input(
            ceremony: begun.secret, try passkey.registration(begun.challenge).response)
        // Whether an account has the credential, which the row itself tells when it is written.
        try measure(.addPasskey, "added", tripsMax: 3) {
            _ = try kit.auth.addPasskey(input, signed(tokens))
        }
        try measure(.listPasskeys, "two passkeys", tripsMax: 1) {
            _ = try kit.auth.listPasskeys(signed(tokens))
        }
        let id = try passkey.id
        try measure(.renamePasskey, "renamed") {
            _ = try kit.auth.renamePasskey(id, to: "Desk", signed(tokens))
        }
        _ = try kit.signIn(with: passkey, Self.caller)
        try measure(.removePasskey, "one session ended") {
            try kit.auth.removePasskey(id, signed(tokens))
        }
    }

    private func measurePasskeyAsSecondFactor(_ kit: AuthKit) throws {
        let first = try session(kit, of: "with passkey")
        let app = try kit.auth.enrolAuthenticator(signed(first)).password
        let tokens = try kit.auth.confirmAuthenticator(code: kit.code(of: app), signed(first))
            .tokens
        var passkey = try SoftwareAuthenticator(seed: 3)
        try kit.add(&passkey, by: tokens)
        let result = try kit.signIn(fake.gateway)(input("with passkey"), Self.caller).result
        let ticket = try kit.ticket(result)
        var begun: BegunCeremony?
        try measure(.passkeyOptions, "for a second factor") {
            begun = try kit.begin(.secondFactor(ticket: ticket), Self.caller)
        }
        guard let begun else { return }
        let response = try passkey.assertion(begun.challenge).response(signedWith: passkey.key)
        try measure(.secondFactor, "a passkey") {
            _ = try kit.auth.completeSignInWithPasskey(
                ticket: ticket, ceremony: begun.secret, response, Self.caller)
        }
    }
}
