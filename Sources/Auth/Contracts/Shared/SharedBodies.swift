internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import JSON
internal import Time

// Shared by several contracts.

func email(_ fields: Fields, _ name: String = "email") throws(RequestError) -> EmailAddress {
    guard let email = EmailAddress(parsing: try fields.required(name)) else {
        throw .invalidField(name, .notEmailAddress)
    }
    return email
}

/// nil where the account's own is meant.
func optionalEmail(_ fields: Fields) throws(RequestError) -> EmailAddress? {
    try fields.text("email") == nil ? nil : try email(fields)
}

/// `{"methods": [{"method": "apple"}, {"method": "email", "email": …, "hasPassword": true}]}`
func signInMethods(_ methods: SignInMethods) -> JSON {
    let list = methods.identities.map { identity in
        var body: JSONObject = ["method": .string(identity.provider)]
        if identity.isPassword {
            body["email"] = .string(identity.subject)
            body["hasPassword"] = .bool(methods.hasPassword)
        }
        return JSON.object(body)
    }
    return ["methods": .array(list)]
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

/// Credentials with the member names of the AWS SDKs.
func storageKeys(_ keys: StorageKeys) -> JSON {
    [
        "accessKeyId": .string(keys.accessKeyID),
        "secretAccessKey": .string(String(decoding: keys.secretAccessKey.reveal(), as: UTF8.self)),
        "sessionToken": .string(String(decoding: keys.sessionToken.reveal(), as: UTF8.self)),
        "expiration": .string(keys.expiresAt.iso8601Seconds),
    ]
}

extension Endpoint {
    /// Apple's server-to-server notifications: `{"payload": "<JWT>"}`, answered with 200 alone.
    static func appleNotifications(_ route: Route) -> Endpoint {
        Endpoint(.appleNotification, route, needs: [.identityProviders, .mail]) { call, auth in
            try auth.receiveAppleNotification(try call.body.required("payload"), call.caller)
            return Answer([:])
        }
    }

    /// Invoked by a schedule: `{"jobs": {"mail": {"sent": 2, …}}}`.
    ///
    /// - Parameter jobs: in the order in which they are run.
    static func housekeeping(_ jobs: HousekeepingJob...) -> Endpoint {
        let needs = jobs.reduce(into: Set<ServiceNeed>()) { $0.formUnion($1.needs) }
        return Endpoint(.housekeeping, nil, needs: needs) { call, auth in
            let reports = try auth.housekeeping(jobs, until: call.deadline)
            let counted = reports.map { report in
                let counts = report.counts.map { ($0.name, JSON.number($0.count)) }
                return (report.job, JSON.object(JSONObject(counts)))
            }
            return Answer(["jobs": .object(JSONObject(counted))])
        }
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
