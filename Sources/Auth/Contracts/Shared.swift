internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import JSON
internal import Time

// What several contracts have in common.

extension [RateLimit] {
    /// Where a seed names no limits: wide enough for a school behind one address, and narrow enough
    /// per account that guessing is hopeless.
    static let standard: [RateLimit] = [
        RateLimit(.challenge, per: .address, 60, in: .minutes(1)),
        RateLimit(.signIn, per: .address, 60, in: .minutes(1)),
        RateLimit(.signIn, per: .account, 10, in: .minutes(1)),
        RateLimit(.refresh, per: .address, 300, in: .minutes(1)),
        RateLimit(.refresh, per: .session, 120, in: .minutes(1)),
        RateLimit(.signOut, per: .address, 60, in: .minutes(1)),
        RateLimit(.credentials, per: .account, 30, in: .minutes(1)),
    ]
}

extension [RateLimit] {
    /// Guesses at the administrator's password: few from one address, and not many from all of them
    /// together.
    static let administration: [RateLimit] = [
        RateLimit(.adminLogin, per: .address, 5, in: .minutes(15)),
        RateLimit(.adminLogin, per: .overall, 50, in: .minutes(15)),
    ]
}

/// `{"givenName": "Ada", "familyName": "Lovelace"}`, as Apple's frameworks encode a name.
func fullName(_ fields: Fields) throws(RequestError) -> PersonName {
    PersonName(given: try fields.text("givenName"), family: try fields.text("familyName"))
}

/// Keys as AWS SDKs name them.
func storageKeys(_ keys: StorageKeys) -> JSON {
    [
        "accessKeyId": .string(keys.accessKeyID),
        "secretAccessKey": .string(String(decoding: keys.secretAccessKey.reveal(), as: UTF8.self)),
        "sessionToken": .string(String(decoding: keys.sessionToken.reveal(), as: UTF8.self)),
        "expiration": .string(keys.expiresAt.iso8601Seconds),
    ]
}

/// The providers of the seeds that name exactly two.
func appleOrGoogle(_ fields: Fields) throws -> String {
    let provider = try fields.required("provider")
    guard provider.isSame(as: "apple") || provider.isSame(as: "google") else {
        throw AuthError.signIn(.unknownProvider)
    }
    return provider
}
