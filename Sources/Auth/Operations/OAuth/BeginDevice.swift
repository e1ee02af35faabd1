package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
package import Time

/// Begins a device's request for access: the device shows a code, which a person types on another
/// device (RFC 8628 section 3.1).
package struct BeginDevice: Sendable {
    package struct Output: Sendable {
        package let deviceCode: String
        package let userCode: UserCode
        /// The page that asks for the code.
        package let page: String
        /// The address of the page, with the code.
        package let pageWithCode: String
        package let lifetime: Span
        package let interval: Span
    }

    let auth: AuthServices

    package func callAsFunction(
        _ asked: RequestParameters, by credentials: ClientCredentials, _ caller: Caller
    ) throws(AuthError) -> Output {
        let (oauth, policy) = (try auth.oauth, try auth.oauthPolicy)
        let (client, opening) = try auth.open(
            .beginDevice, as: .deviceCode, by: credentials, caller, begins: true)
        try opening.admit()
        let (scope, resources) = try Self.read(asked, of: client, oauth)
        let now = auth.clock.now()
        for _ in auth.attempts {
            let (text, code) = DeviceCode.make(random: auth.random)
            let request = DeviceRequest(
                client: client.id, scope: scope, resources: resources,
                secretHash: code.secretHash, askedAt: now, endsAt: now + policy.deviceLifetime,
                address: caller.address, interval: policy.deviceInterval)
            let row = request.item(code.userCode, expiresAt: now + policy.deviceMemory)
            // Another device may have the same code.
            guard try auth.store.attempt([.put(row, when: [.absent])]) else { continue }
            let page = oauth.endpoint(.device)
            return Output(
                deviceCode: text, userCode: code.userCode, page: page,
                pageWithCode: "\(page)?user_code=\(code.userCode.text)",
                lifetime: policy.deviceLifetime, interval: policy.deviceInterval)
        }
        throw .unavailable(.contention)
    }

    private static func read(
        _ asked: RequestParameters, of client: Client, _ oauth: OAuthServices
    ) throws(AuthError) -> (scope: [String], resources: [String]) {
        do throws(OAuthError) {
            let scope = try AuthorizationRequest.scope(asked, of: client, oauth)
            return (scope, try AuthorizationRequest.resources(asked, scope, of: client, oauth))
        } catch {
            throw .oauth(error)
        }
    }
}

extension AuthServices {
    package var beginDevice: BeginDevice { BeginDevice(auth: self) }
}

extension AuthOperation {
    package static let beginDevice = AuthOperation(
        "beginDevice", servedBy: "device", counting: [.client, .address])
}
