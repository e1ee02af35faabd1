/// A request, parsed once: for the service, for faults and for traces.
package struct STSCall: Sendable {
    let http: ServiceCall
    /// nil if they are malformed.
    let parameters: STSParameters?
    let operation: STSOperation?
    /// The action as it was sent. It may be unknown.
    package let action: String

    package init(_ http: ServiceCall) {
        self.http = http
        let text = http.method == "POST" ? String(validating: http.body, as: UTF8.self) : http.query
        let isLegal = http.body.count <= STSService.bodyBytesMax
        parameters = isLegal ? text.flatMap { STSParameters(form: $0) } : nil
        action = parameters?["Action"] ?? ""
        operation = STSOperation(rawValue: action)
    }

    /// Whether the call may take long, because the service may fetch an issuer's keys.
    package var asksIssuer: Bool { operation == .assumeRoleWithWebIdentity }

    package static let operations = STSOperation.allCases.map(\.rawValue)
}

/// All operations of the service, including unsupported ones.
enum STSOperation: String, CaseIterable {
    case assumeRole = "AssumeRole"
    case assumeRoleWithWebIdentity = "AssumeRoleWithWebIdentity"
    case getCallerIdentity = "GetCallerIdentity"
    case getSessionToken = "GetSessionToken"
    case getAccessKeyInfo = "GetAccessKeyInfo"
    case assumeRoleWithSAML = "AssumeRoleWithSAML"
    case assumeRoot = "AssumeRoot"
    case decodeAuthorizationMessage = "DecodeAuthorizationMessage"
    case getFederationToken = "GetFederationToken"
    case getDelegatedAccessToken = "GetDelegatedAccessToken"
    case getWebIdentityToken = "GetWebIdentityToken"
}
