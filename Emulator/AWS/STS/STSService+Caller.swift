internal import Time

extension STSService {
    /// The answer to GetCallerIdentity, which is allowed regardless of policies.
    func callerIdentity(_ caller: AuthenticatedCall) -> STSAnswer {
        STSAnswer(
            operation: .getCallerIdentity,
            elements: [
                .text("Arn", caller.identity.arn), .text("UserId", caller.identity.userID),
                .text("Account", caller.identity.account),
            ])
    }

    /// There is only one account.
    func accessKeyInfo(_ parameters: STSParameters) throws(STSError) -> STSAnswer {
        var parameters = parameters
        _ = parameters.text("AccessKeyId", length: 16...128, of: .accessKey, isRequired: true)
        try parameters.check()
        return STSAnswer(
            operation: .getAccessKeyInfo,
            elements: [.text("Account", authority.directory.account)])
    }

    func sessionToken(
        _ parameters: STSParameters, _ exchange: STSRequest, for caller: AuthenticatedCall
    ) throws(STSError) -> STSAnswer {
        var parameters = parameters
        let asked = try parameters.seconds("DurationSeconds", in: 900...129_600)
        try parameters.check()
        guard caller.identity.sessionIssuedAt == nil else {
            throw .accessDenied("Cannot call GetSessionToken with session credentials")
        }
        // Sessions of the root user last one hour at most; a longer request is not an error.
        let seconds = asked ?? 43_200
        let granted = caller.identity.isRoot ? min(seconds, 3600) : seconds
        let credentials = try issue(
            IAMSession(
                issuedAt: exchange.now, expiresAt: exchange.now + .seconds(granted),
                ownerAccessKeyID: caller.accessKeyID))
        return STSAnswer(operation: .getSessionToken, elements: [.credentials(credentials)])
    }
}
