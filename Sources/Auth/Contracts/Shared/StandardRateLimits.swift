package import AuthDomain
internal import AuthOperations
internal import Time

// Rate limits that several contracts use. Each contract has its own list in its policy
// (`Contracts/<Name>/<Name>.swift`).

extension [RateLimit] {
    /// Limits for contracts that define none: high enough for a school behind one address, and low
    /// enough per account to prevent guessing.
    package static let standard: [RateLimit] = [
        RateLimit(.challenge, per: .address, 60, in: .minutes(1)),
        RateLimit(.signIn, per: .address, 60, in: .minutes(1)),
        RateLimit(.signIn, per: .account, 10, in: .minutes(1)),
        RateLimit(.refresh, per: .address, 300, in: .minutes(1)),
        RateLimit(.refresh, per: .session, 120, in: .minutes(1)),
        RateLimit(.signOut, per: .address, 60, in: .minutes(1)),
        RateLimit(.credentials, per: .account, 30, in: .minutes(1)),
    ]

    /// The limits for accounts with passwords. Hashing is the most expensive work, so every
    /// operation that hashes has a limit per client address; every operation that sends mail has
    /// one per e-mail address.
    static let passwordAccounts: [RateLimit] = [
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
    ]
}

extension [RateLimit] {
    /// The limit of `secondFactor` per account counts only wrong codes, from all operations
    /// together.
    static let secondFactors: [RateLimit] = [
        RateLimit(.secondFactor, per: .address, 30, in: .minutes(5)),
        RateLimit(.secondFactor, per: .account, 5, in: .minutes(5)),
        RateLimit(.enrolAuthenticator, per: .account, 10, in: .minutes(15)),
    ]
}

extension [RateLimit] {
    /// Each sign-in needs one of these requests: from the app to which the pages return, or from a
    /// browser that comes back from a provider.
    static let pages: [RateLimit] = [
        RateLimit(.redeemSignInCode, per: .address, 60, in: .minutes(1)),
        RateLimit(.redeemProviderCode, per: .address, 60, in: .minutes(1)),
    ]
}

extension [RateLimit] {
    /// Clients with a secret are servers, and the requests of all their users come from one
    /// address. So only wrong secrets are counted for each client, from all addresses together, and
    /// the requests of programs without a secret are counted for each address.
    static let oauth: [RateLimit] = [
        RateLimit(.authorizeClient, per: .address, 120, in: .minutes(1)),
        RateLimit(.pushRequest, per: .address, 120, in: .minutes(1)),
        RateLimit(.authenticateClient, per: .client, 100, in: .minutes(1)),
        RateLimit(.fetchClientDocument, per: .address, 10, in: .minutes(1)),
        RateLimit(.fetchClientDocument, per: .overall, 60, in: .minutes(1)),
        RateLimit(.fetchClientKeys, per: .client, 5, in: .minutes(1)),
        RateLimit(.fetchClientKeys, per: .overall, 60, in: .minutes(1)),
        RateLimit(.registerClient, per: .address, 10, in: .hours(1)),
        RateLimit(.registerClient, per: .overall, 1000, in: .days(1)),
        RateLimit(.redeemCode, per: .address, 600, in: .minutes(1)),
        RateLimit(.refreshGrant, per: .address, 600, in: .minutes(1)),
        RateLimit(.beginDevice, per: .address, 60, in: .minutes(1)),
        RateLimit(.pollDevice, per: .address, 600, in: .minutes(1)),
        // This limit counts all processes of one program.
        RateLimit(.issueClientToken, per: .client, 3000, in: .minutes(1)),
        RateLimit(.exchangeToken, per: .client, 3000, in: .minutes(1)),
        // Only wrong codes are counted: five guesses among 20^8 (RFC 8628 section 5.1).
        RateLimit(.enterUserCode, per: .account, 5, in: .minutes(10)),
        RateLimit(.enterUserCode, per: .address, 20, in: .minutes(10)),
    ]
}

extension [RateLimit] {
    /// The limits for passkeys. A page that offers passkeys begins a ceremony each time it is
    /// shown.
    static let passkeys: [RateLimit] = [
        RateLimit(.passkeyOptions, per: .address, 120, in: .minutes(1)),
        RateLimit(.signUpWithPasskey, per: .address, 30, in: .hours(1)),
        RateLimit(.signInWithPasskey, per: .address, 60, in: .minutes(1)),
        RateLimit(.signInWithPasskey, per: .account, 10, in: .minutes(1)),
        RateLimit(.addPasskey, per: .account, 10, in: .minutes(15)),
        RateLimit(.removePasskey, per: .account, 10, in: .minutes(15)),
    ]
}

extension [RateLimit] {
    /// Someone with a stolen session could use the operation to guess the password.
    static let stepUp: [RateLimit] = [
        RateLimit(.stepUp, per: .address, 60, in: .minutes(1)),
        RateLimit(.stepUp, per: .account, 10, in: .minutes(15)),
    ]
}

extension [RateLimit] {
    /// Each guest is an account that is kept for weeks. A school behind one address starts an app
    /// on all its devices in one lesson.
    static let guests: [RateLimit] = [
        RateLimit(.createGuest, per: .address, 120, in: .hours(1)),
        // The limit is the same as for registrations: a client that creates guests could cause mail
        // to any address.
        RateLimit(.addPassword, per: .address, 30, in: .hours(1)),
    ]
}

extension [RateLimit] {
    /// Wrong codes of the second factor are counted by the limit that every sign-in shares.
    static let merging: [RateLimit] = [
        RateLimit(.mergeAccounts, per: .address, 60, in: .minutes(15)),
        RateLimit(.mergeAccounts, per: .account, 10, in: .minutes(15)),
    ]
}

extension [RateLimit] {
    /// The limits for signing in by mailed links.
    static let magicLinks: [RateLimit] = [
        RateLimit(.requestMagicLink, per: .address, 30, in: .hours(1)),
        RateLimit(.requestMagicLink, per: .email, 5, in: .hours(1)),
        RateLimit(.redeemMagicLink, per: .address, 30, in: .minutes(15)),
    ]
}

extension [RateLimit] {
    /// An export reads everything that is stored about an account.
    static let exports: [RateLimit] = [
        RateLimit(.exportAccount, per: .account, 10, in: .minutes(15))
    ]
}

extension [RateLimit] {
    /// Apple's servers have few addresses, and send refused requests again.
    static let notifications: [RateLimit] = [
        RateLimit(.appleNotification, per: .address, 600, in: .minutes(1))
    ]
}

extension [RateLimit] {
    /// The limits for verifying the address of an account.
    static let confirmation: [RateLimit] = [
        RateLimit(.requestAddressVerification, per: .address, 30, in: .hours(1)),
        RateLimit(.requestAddressVerification, per: .account, 5, in: .hours(1)),
        RateLimit(.verifyAddress, per: .account, 10, in: .minutes(15)),
    ]
}

extension [RateLimit] {
    /// The limits for changing the address of an account, and for undoing changes. The mail budget
    /// limits the mails to one address over all accounts and clients.
    static let emailChanges: [RateLimit] = [
        RateLimit(.requestNewAddress, per: .address, 30, in: .hours(1)),
        RateLimit(.requestNewAddress, per: .account, 5, in: .hours(1)),
        RateLimit(.undoAddressChange, per: .address, 30, in: .minutes(15)),
        RateLimit(.undoMethodChange, per: .address, 30, in: .minutes(15)),
    ]
}

extension [RateLimit] {
    /// The limits for changing the sign-in methods of an account.
    static let methods: [RateLimit] = [
        RateLimit(.linkIdentity, per: .address, 60, in: .minutes(1)),
        RateLimit(.linkIdentity, per: .account, 10, in: .minutes(15)),
        RateLimit(.removeMethod, per: .account, 10, in: .minutes(15)),
        RateLimit(.addPassword, per: .account, 5, in: .minutes(15)),
        RateLimit(.completeAddPassword, per: .account, 10, in: .minutes(15)),
    ]
}

extension [RateLimit] {
    /// The limits for guesses at the administrator's password: per client address, and overall.
    static let administration: [RateLimit] = [
        RateLimit(.adminLogin, per: .address, 5, in: .minutes(15)),
        RateLimit(.adminLogin, per: .overall, 50, in: .minutes(15)),
    ]
}
