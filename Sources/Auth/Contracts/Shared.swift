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
    /// Of accounts with passwords. Hashing is what costs most, so nothing that hashes is without a
    /// limit of its own; and whatever mails is limited for the address that is mailed.
    static let passwordAccounts: [RateLimit] = [
        RateLimit(.register, per: .address, 30, in: .hours(1)),
        RateLimit(.register, per: .email, 5, in: .hours(1)),
        RateLimit(.verifyEmail, per: .address, 30, in: .minutes(15)),
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

func email(_ fields: Fields, _ name: String = "email") throws(RequestError) -> EmailAddress {
    guard let email = EmailAddress(parsing: try fields.required(name)) else {
        throw .invalidField(name, .notEmailAddress)
    }
    return email
}

/// A new password that is given twice.
func confirmed(_ name: String, _ fields: Fields) throws(RequestError) -> String {
    let password = try fields.required(name)
    let confirmation = try fields.required("confirmPassword")
    guard confirmation.utf8.elementsEqual(password.utf8) else {
        throw .invalidField("confirmPassword", .differsFrom(name))
    }
    return password
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

extension Endpoint {
    /// Invoked by a schedule: `{"jobs": {"mail": {"sent": 2, …}}}`.
    static let housekeeping = Endpoint(.housekeeping, nil, needs: [.mail]) { call, auth in
        let reports = try auth.housekeeping(until: call.deadline)
        let jobs = reports.map { report in
            let counts = report.counts.map { ($0.name, JSON.number($0.count)) }
            return (report.job, JSON.object(JSONObject(counts)))
        }
        return Answer(["jobs": .object(JSONObject(jobs))])
    }
}

/// The providers of the seeds that name exactly two.
func appleOrGoogle(_ fields: Fields) throws -> String {
    let provider = try fields.required("provider")
    guard provider.isSame(as: "apple") || provider.isSame(as: "google") else {
        throw AuthError.signIn(.unknownProvider)
    }
    return provider
}
