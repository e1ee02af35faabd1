internal import Bytes
internal import AuthDomain
internal import AuthOperations
internal import JSON
internal import Time

// What several contracts have in common and no operation should know.

extension [RateLimit] {
    /// Where a seed names no limits: wide enough for a school behind one address, and per
    /// account narrow enough that guessing leads nowhere.
    static let standard: [RateLimit] = [
        RateLimit(.challenge, per: .address, 60, in: .minutes(1)),
        RateLimit(.signIn, per: .address, 60, in: .minutes(1)),
        RateLimit(.signIn, per: .account, 10, in: .minutes(1)),
        RateLimit(.refresh, per: .address, 300, in: .minutes(1)),
        RateLimit(.refresh, per: .account, 120, in: .minutes(1)),
        RateLimit(.signOut, per: .address, 60, in: .minutes(1)),
        RateLimit(.credentials, per: .account, 30, in: .minutes(1)),
    ]
}

/// Keys as every AWS SDK names them.
func storageKeys(_ keys: StorageKeys) -> JSON {
    [
        "accessKeyId": .string(keys.accessKeyID),
        "secretAccessKey": .string(String(decoding: keys.secretAccessKey.reveal(), as: UTF8.self)),
        "sessionToken": .string(String(decoding: keys.sessionToken.reveal(), as: UTF8.self)),
        "expiration": .string(keys.expiresAt.iso8601Seconds),
    ]
}

extension Face {
    func adding(_ header: (name: String, value: String)) -> Face {
        var answer = answer
        answer.headers.append(header)
        return Face(answer, code: code)
    }

    /// RFC 6750 section 3.
    func challenging(_ error: String?) -> Face {
        adding(("www-authenticate", error.map { "Bearer error=\"\($0)\"" } ?? "Bearer"))
    }
}
