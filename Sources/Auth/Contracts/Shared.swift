internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import JSON
internal import Time

// Shared by several contracts.

extension [RateLimit] {
    /// Limits for contracts that define none: high enough for a school behind one address, and low
    /// enough per account to prevent guessing.
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

/// `{"givenName": "Ada", "familyName": "Lovelace"}`, as Apple's frameworks encode a name.
func fullName(_ fields: Fields) throws(RequestError) -> PersonName {
    PersonName(given: try fields.text("givenName"), family: try fields.text("familyName"))
}

/// Credentials with the member names of the AWS SDKs.
func storageKeys(_ keys: StorageKeys) -> JSON {
    [
        "accessKeyId": .string(keys.accessKeyID),
        "secretAccessKey": .string(String(decoding: keys.secretAccessKey.reveal(), as: UTF8.self)),
        "sessionToken": .string(String(decoding: keys.sessionToken.reveal(), as: UTF8.self)),
        "expiration": .string(keys.expiresAt.iso8601Seconds),
    ]
}

/// For contracts with exactly these two providers.
func appleOrGoogle(_ fields: Fields) throws -> String {
    let provider = try fields.required("provider")
    guard provider.isSame(as: "apple") || provider.isSame(as: "google") else {
        throw AuthError.signIn(.unknownProvider)
    }
    return provider
}
