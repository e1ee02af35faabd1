import AuthDomain
import AuthOperations
import AuthTestSupport
import Cryptography
import JOSE
import KeyValueStore
import Time

extension CostMeasurement {
    func measurePasswords() throws {
        let caller = Self.caller
        let kit = try kit {
            $0.accounts.claimsEmail = true
            $0.passwords = Policy.passwords().passwords
            $0.magicLinks = Policy.passwords().magicLinks
            $0.links = Policy.passwords().links
            $0.mailCodes = MailCodePolicy()
            $0.mailBudget = MailBudget()
            $0.limits = [
                RateLimit(.register, per: .address, 30, in: .hours(1)),
                RateLimit(.register, per: .email, 5, in: .hours(1)),
                RateLimit(.completeRegistration, per: .address, 30, in: .minutes(15)),
                RateLimit(.resendVerification, per: .address, 30, in: .hours(1)),
                RateLimit(.resendVerification, per: .email, 3, in: .hours(1)),
                RateLimit(.login, per: .address, 60, in: .minutes(1)),
                RateLimit(.login, per: .email, 10, in: .minutes(15)),
                RateLimit(.forgotPassword, per: .address, 30, in: .hours(1)),
                RateLimit(.forgotPassword, per: .email, 3, in: .hours(1)),
                RateLimit(.resetPassword, per: .address, 30, in: .minutes(15)),
                RateLimit(.changePassword, per: .account, 5, in: .minutes(15)),
                RateLimit(.requestMagicLink, per: .address, 30, in: .hours(1)),
                RateLimit(.requestMagicLink, per: .email, 5, in: .hours(1)),
                RateLimit(.redeemMagicLink, per: .address, 30, in: .minutes(15)),
                RateLimit(.requestAddressVerification, per: .address, 30, in: .hours(1)),
                RateLimit(.requestAddressVerification, per: .account, 5, in: .hours(1)),
                RateLimit(.verifyAddress, per: .account, 10, in: .minutes(15)),
                RateLimit(.linkIdentity, per: .account, 10, in: .minutes(15)),
                RateLimit(.removeMethod, per: .account, 10, in: .minutes(15)),
                RateLimit(.addPassword, per: .account, 5, in: .minutes(15)),
                RateLimit(.completeAddPassword, per: .account, 10, in: .minutes(15)),
            ]
        }
        let email = try kit.email("grace@example.com")
        let input = Register.Input(email: email, password: AuthKit.password)
        try measure(.register, "link mailed") { _ = try kit.auth.register(input, caller) }
        try measure(.resendVerification, "link mailed") {
            try kit.auth.resendVerification(email, caller)
        }
        kit.finishReply()
        let token = try kit.mailedToken()
        try measure(.completeRegistration, "account made") {
            _ = try kit.auth.completeRegistration(token: token, password: AuthKit.password, caller)
        }
        try measure(.register, "address taken") { _ = try kit.auth.register(input, caller) }
        func importUser(_ email: String) throws {
            let entry = ImportUsers.Entry(email: email, passwordHash: ImportUsersTests.bcrypt)
            _ = try kit.auth.importUsers([entry])
        }
        try importUser("grace@example.com")
        try measure(.importUsers, "a batch of one", tripsMax: 3) {
            try importUser("alan@example.com")
        }
        let logIn = LogIn.Input(email: email, password: AuthKit.password)
        var tokens: SessionTokens?
        try measure(.login, "right password", tripsMax: 3) {
            tokens = try kit.auth.logIn(logIn, caller).tokens
        }
        let wrong = LogIn.Input(email: email, password: "wrong password")
        try measureRefusal(.login, "wrong password", tripsMax: 3) { () throws(AuthError) in
            _ = try kit.auth.logIn(wrong, caller)
        }
        let unknown = LogIn.Input(email: try kit.email("x@example.com"), password: "password")
        try measureRefusal(.login, "unknown address", tripsMax: 3) { () throws(AuthError) in
            _ = try kit.auth.logIn(unknown, caller)
        }
        if let tokens {
            clock.advance(by: .minutes(-3))
            try measure(.changePassword, "changed") {
                _ = try kit.auth.changePassword(
                    current: AuthKit.password, new: "another password", signed(tokens))
            }
        }
        var secret = ""
        try measure(.forgotPassword, "link mailed", tripsMax: 3) {
            secret = try kit.auth.forgotPassword(email, caller) ?? ""
        }
        kit.finishReply()
        // The head of the chain of the client's network is read in a trip of its own.
        try measureRefusal(.resetPassword, "wrong code", tripsMax: 3) { () throws(AuthError) in
            try kit.auth.resetPassword(
                .code("00000000", requestSecret: secret), newPassword: AuthKit.password, caller)
        }
        let reset = try kit.mailedToken()
        try measure(.resetPassword, "changed") {
            try kit.auth.resetPassword(token: reset, newPassword: AuthKit.password, caller)
        }
        try measureMethods(kit)
        try measureMagicLinks(kit, "account known", email, tripsMax: 3)
        try measureMagicLinks(kit, "account made", try kit.email("new@example.com"), tripsMax: 2)
    }

    /// The link names the account of an address, which is a trip of its own.
    private func measureMagicLinks(
        _ kit: AuthKit, _ situation: String, _ email: EmailAddress, tripsMax: Int
    ) throws {
        var secret = ""
        try measure(.requestMagicLink, situation, tripsMax: 3) {
            secret = try kit.auth.requestMagicLink(email, Self.caller)
        }
        kit.finishReply()
        let input = RedeemMagicLink.Input(token: try kit.mailedToken(), requestSecret: secret)
        try measure(.redeemMagicLink, situation, tripsMax: tripsMax) {
            _ = try kit.auth.redeemMagicLink(input, Self.caller)
        }
    }

    func measureAdministration() throws {
        try measure(.adminLoginPage, "no session", tripsMax: 0) {}
        var token = ""
        try measure(.adminLogin, "right password") {
            token = try kit.auth.adminLogin(
                password: "open sesame", Self.caller
            ).token
        }
        try measure(.adminLoginPage, "session alive") {
            _ = try kit.auth.authenticateAdmin(token)
        }
        try measureRefusal(.adminLogin, "wrong password") { () throws(AuthError) in
            _ = try kit.auth.adminLogin(password: "wrong", Self.caller)
        }
        try measure(.adminLogout, "session alive") {
            try kit.auth.adminLogout(token, Self.caller)
        }
        try measureUsers()
    }

    /// An administrator's token is verified first, which is a trip of its own; then comes the index
    /// or the account, then the accounts or the write.
    private func measureUsers() throws {
        let kit = try kit { _ in }
        let mine = try session(kit, of: "administrator")
        let other = try session(kit, of: "listed").user.id.text
        _ = try kit.auth.administerUser(
            mine.user.id.text, .setAdmin(true), by: .password, Self.caller)
        let caller = signed(mine)
        func administrator(_ operation: AuthOperation) throws(AuthError) -> Administrator {
            .user(try kit.auth.authenticate(caller, for: operation).user)
        }
        try measure(.listUsers, "a page of two", tripsMax: 3) {
            _ = try administrator(.listUsers)
            _ = try kit.auth.findUsers.all(limit: 2, after: nil)
        }
        try measure(.listUsers, "by e-mail address", tripsMax: 3) {
            _ = try administrator(.listUsers)
            _ = try kit.auth.findUsers.users(withEmail: "listed@example.com")
        }
        try measure(.listUsers, "by id") {
            _ = try administrator(.listUsers)
            _ = try kit.auth.findUsers.users(withID: other)
        }
        let user = mine.user.id
        try measure(.listAudit, "a page of two", tripsMax: 3) {
            let principal = try kit.auth.authenticate(caller, for: .listAudit)
            _ = try kit.auth.listAudit(of: principal.user.id, limit: 2, after: nil)
        }
        try measure(.userAudit, "a page of two", tripsMax: 3) {
            _ = try administrator(.userAudit)
            _ = try kit.auth.listAudit(of: user, limit: 2, after: nil)
        }
        try measure(.unownedAudit, "a page of two") {
            _ = try administrator(.unownedAudit)
            _ = try kit.auth.listAudit(
                of: kit.auth.auditChain(ofAddress: Self.address), limit: 2, after: nil)
        }
        let changes: [(AuthOperation, AdministerUser.Change)] = [
            (.disableUser, .disable), (.enableUser, .enable), (.signOutUser, .signOut),
            (.setAdmin, .setAdmin(true)),
        ]
        for (operation, change) in changes {
            try measure(operation, "changed", tripsMax: 3) {
                _ = try kit.auth.administerUser(
                    other, change, by: try administrator(operation), Self.caller)
            }
        }
        try measure(.inspectUser, "a page of the timeline", tripsMax: 5) {
            _ = try administrator(.inspectUser)
            _ = try kit.auth.inspectUser(other, after: nil)
        }
    }
}
