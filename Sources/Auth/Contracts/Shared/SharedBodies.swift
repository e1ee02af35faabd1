internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import JSON
internal import Time

// Several contracts share these bodies.

/// `{"methods": [{"method": "apple"}, {"method": "email", "email": …, "hasPassword": true}]}`
extension SignInMethods {
    var body: JSON {
        let list = identities.map { identity in
            var body: JSONObject = ["method": .string(identity.provider)]
            if identity.isPassword {
                body["email"] = .string(identity.subject)
                body["hasPassword"] = .bool(hasPassword)
            }
            return JSON.object(body)
        }
        return ["methods": .array(list)]
    }
}

/// Credentials with the member names of the AWS SDKs.
extension StorageKeys {
    var body: JSON {
        [
            "accessKeyId": .string(accessKeyID),
            "secretAccessKey": .string(String(decoding: secretAccessKey.reveal(), as: UTF8.self)),
            "sessionToken": .string(String(decoding: sessionToken.reveal(), as: UTF8.self)),
            "expiration": .string(expiresAt.iso8601Seconds),
        ]
    }
}

extension Endpoint {
    /// Apple's server-to-server notifications: `{"payload": "<JWT>"}`, answered with 200 and an
    /// empty object.
    static func appleNotifications(_ route: Route) -> Endpoint {
        Endpoint(.appleNotification, route, needs: [.identityProviders, .mail]) { call, auth in
            try auth.receiveAppleNotification(try call.body.required("payload"), call.caller)
            return Answer([:])
        }
    }

    /// Invoked by a schedule: `{"jobs": {"mail": {"sent": 2, …}}}`.
    ///
    /// - Parameter jobs: the jobs, in the order in which they run.
    static func housekeeping(_ jobs: HousekeepingJob...) -> Endpoint {
        let needs = jobs.reduce(into: ServiceNeeds()) { $0.formUnion($1.needs) }
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
