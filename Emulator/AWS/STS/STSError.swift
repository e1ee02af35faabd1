/// An error of STS. Codes and messages are part of its interface: clients and tests depend on them.
struct STSError: Error, Equatable {
    let status: Int
    let code: String
    let message: String

    init(_ status: Int, _ code: String, _ message: String) {
        self.status = status
        self.code = code
        self.message = message
    }

    static func validation(_ message: String) -> STSError {
        STSError(400, "ValidationError", message)
    }

    static func accessDenied(_ message: String) -> STSError {
        STSError(403, "AccessDenied", message)
    }

    static func notAuthorized(_ identity: CallerIdentity, _ action: String, _ role: String)
        -> STSError
    {
        .accessDenied(
            "User: \(identity.arn) is not authorized to perform: \(action) on resource: \(role)")
    }

    static func invalidToken(_ message: String) -> STSError {
        STSError(400, "InvalidIdentityToken", message)
    }

    static let unretrievableKey = invalidToken(
        "Couldn't retrieve verification key from your identity provider, please reference "
            + "AssumeRoleWithWebIdentity documentation for requirements")

    static let expiredToken = STSError(
        403, "ExpiredToken", "The security token included in the request is expired")

    static func packedPolicyTooLarge(percent: Int) -> STSError {
        STSError(
            400, "PackedPolicyTooLarge",
            "Packed policy consumes \(percent)% of allotted space, please use smaller policy.")
    }

    static func malformedPolicy(_ failure: PolicyFailure) -> STSError {
        STSError(400, "MalformedPolicyDocument", failure.message)
    }

    init(_ refusal: CallRefusal) { self.init(refusal.status, refusal.code, refusal.message) }
}
