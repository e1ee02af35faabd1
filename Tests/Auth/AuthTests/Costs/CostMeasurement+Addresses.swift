import AuthDomain
import AuthOperations
import AuthTestSupport
import Time

extension CostMeasurement {
    func measureAddresses() throws {
        let kit = try kit {
            $0 = $0.withEmailChanges
            $0.limits += [
                RateLimit(.requestNewAddress, per: .address, 30, in: .hours(1)),
                RateLimit(.requestNewAddress, per: .account, 5, in: .hours(1)),
                RateLimit(.verifyAddress, per: .account, 10, in: .minutes(15)),
                RateLimit(.undoAddressChange, per: .address, 30, in: .minutes(15)),
                RateLimit(.undoMethodChange, per: .address, 30, in: .minutes(15)),
            ]
        }
        try kit.account("addresses-taken@example.com")
        let tokens = try kit.session(of: "addresses", Self.caller)
        let caller = signed(tokens)
        try measure(.requestNewAddress, "of another account") {
            _ = try kit.auth.requestNewAddress(try kit.email("addresses-taken@example.com"), caller)
        }
        try measure(.requestNewAddress, "link mailed") {
            _ = try kit.auth.requestNewAddress(try kit.email("addresses-new@example.com"), caller)
        }
        kit.finishReply()
        let token = try kit.mailedToken()
        try measure(.verifyAddress, "another address") {
            _ = try kit.auth.verifyAddress(token: token, caller)
        }
        kit.finishReply()
        guard let undo = kit.undoToken else { throw AuthKit.KitFailure.noSession }
        try measure(.undoAddressChange, "restored") {
            try kit.auth.undoAddressChange(token: undo, Self.caller)
        }
        // The link, the end of the audit chain of the client's network, the event.
        try measureRefusal(.undoAddressChange, "used link", tripsMax: 3) { () throws(AuthError) in
            try kit.auth.undoAddressChange(token: undo, Self.caller)
        }
        let again = try kit.session(of: "addresses", Self.caller)
        try measure(.linkIdentity, "added, with a link that undoes it") {
            try kit.link("google", "addresses-google", by: again)
        }
        kit.finishReply()
        guard let undoChange = kit.undoChangeToken else { throw AuthKit.KitFailure.noSession }
        try measure(.undoMethodChange, "undone") {
            try kit.auth.undoMethodChange(token: undoChange, Self.caller)
        }
        try measureRefusal(.undoMethodChange, "used link", tripsMax: 3) { () throws(AuthError) in
            try kit.auth.undoMethodChange(token: undoChange, Self.caller)
        }
        try measure(.setUserEmail, "changed") {
            let email = try kit.email("addresses-set@example.com")
            _ = try kit.auth.administerUser(
                tokens.user.id.text, .setEmail(email), by: .password, Self.caller)
        }
    }
}

extension Policy {
    fileprivate var withEmailChanges: Policy {
        with {
            $0.emailChanges = EmailChangePolicy()
            $0.mailCodes = MailCodePolicy()
            $0.mailBudget = MailBudget()
            $0.passwords = Policy.passwords().passwords
            $0.links = Policy.passwords().links
        }
    }
}
