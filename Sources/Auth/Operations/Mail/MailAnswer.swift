internal import AuthDomain
internal import AuthRecords
internal import Cryptography
internal import KeyValueStore
internal import Time

/// The secret of a mail that a client sends back.
package enum MailAnswer: Sendable {
    /// The token in the mailed link.
    case token(String)
    /// - Parameter requestSecret: the secret in the answer to the request for the mail.
    case code(String, requestSecret: String)

    var isCode: Bool {
        switch self {
        case .token: false
        case .code: true
        }
    }

    /// The error is the same for a wrong code, a used one, and a code for an address without an
    /// account.
    var refusal: AuthError { .emailLink(isCode ? .invalidCode : .invalid) }

    /// The detail in the audit log.
    var refusalDetail: String { isCode ? "invalidCode" : "invalidLink" }

    var secret: RequestSecret? {
        switch self {
        case .token: nil
        case .code(_, let secret): RequestSecret(parsing: secret)
        }
    }

    /// The link of the mail, by which its row is found.
    ///
    /// - Parameter place: returns the link at the place that the secret names.
    func link<Link>(
        _ token: (String) -> Link?, at place: ([UInt8]) throws(AuthError) -> Link?
    ) throws(AuthError) -> Link? {
        switch self {
        case .token(let text): token(text)
        case .code: try secret.flatMap { secret throws(AuthError) in try place(secret.place) }
        }
    }

    /// The link in a mail of a signed-in user. Its row belongs to the account.
    func accountLink(of user: UserID) -> AccountLink? {
        switch self {
        case .token(let text):
            AccountLink(parsing: text).flatMap { $0.user == user ? $0 : nil }
        case .code: secret.flatMap { AccountLink(of: user, at: $0.place) }
        }
    }

    /// The row of a mail, if this is the link or the code of that mail.
    func accepted(_ row: Item?) -> Item? {
        guard let row else { return nil }
        switch self {
        case .token: return row
        case .code(let code, _):
            guard let secret, MailedCode.isRight(code, secret, for: row) else { return nil }
            return row
        }
    }

    /// A code is counted before it is compared, so that parallel requests have no more guesses than
    /// consecutive ones. The counter is named by a hash of the secret, so only a client that has it
    /// can use up the attempts. The link remains valid after that.
    ///
    /// - Parameter lifetime: how long the mail is valid.
    func use(within lifetime: Span, _ auth: AuthServices) throws(AuthError) -> LimitedUse? {
        guard let secret else { return nil }
        guard let policy = auth.policy.mailCodes else { throw refusal }
        return LimitedUse(
            counter: CounterIncrement(
                StoreLayout.presentations(ofCodeWith: secret.hash),
                expiresAt: auth.clock.now() + lifetime + .minutes(1)),
            usesMax: policy.attemptsMax, refused: refusal)
    }
}

extension AuthServices {
    /// A code for a mail whose row is at `place`; nil if mails have no codes.
    func mailedCode(at place: [UInt8]) -> MailedCode? {
        policy.mailCodes.map { _ in MailedCode(place: place, random: random) }
    }
}
