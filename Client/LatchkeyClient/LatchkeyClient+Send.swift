import Foundation

extension LatchkeyClient {
    /// Sends a request with the access token, and returns the response, whatever its status.
    ///
    /// After a 401 the token is refreshed, unless another call has done so, and the request is sent
    /// once more if it is replayable. The second response is returned, whatever it is. A challenge
    /// that requires a recent sign-in (RFC 9470) is returned at once.
    public func send(_ request: HTTPRequest) async throws(AuthError) -> HTTPResponse {
        try checkScheme(of: request.url)
        let allowed = options.tokenOrigins.compactMap { URL(string: $0).flatMap(Self.origin) }
        guard let target = Self.origin(of: request.url), ([origin] + allowed).contains(target)
        else { throw .unsupported("sending the token to another origin") }
        return try await sendSigned(request, needsChallenge: false).response
    }

    /// - Parameter needsChallenge: whether the access token is refused only by a 401 with a
    ///   challenge.
    /// - Returns: the response, and the ID of the session to which the request belongs.
    func sendSigned(
        _ request: HTTPRequest, needsChallenge: Bool
    ) async throws(AuthError) -> (response: HTTPResponse, session: String) {
        let live = try await freshSession(minimumLife: .zero)
        let id = live.record.id
        let first = try await attempt(request, live)
        guard first.status == 401, isAboutToken(first, needsChallenge) else { return (first, id) }
        // Refresh before the next request, even if this request is not sent again.
        apply { $0.reject(live.record.revision) }
        guard request.isReplayable else { return (first, id) }
        guard let now = machine.live, now.record.id == id else { throw .superseded }
        let fresh =
            now.record.revision == live.record.revision
            ? try await refreshed(now.record.revision).get() : now
        return (try await attempt(request, fresh), id)
    }

    private func isAboutToken(_ response: HTTPResponse, _ needsChallenge: Bool) -> Bool {
        let challenge = response.header("www-authenticate")
        if StepUpRequirement(challenge: challenge) != nil { return false }
        return challenge != nil || !needsChallenge
    }

    private func attempt(
        _ request: HTTPRequest, _ live: LiveSession
    ) async throws(AuthError) -> HTTPResponse {
        var request = try await proving(request, accessToken: live.record.accessToken)
        request.headers["Authorization"] = token(of: live).authorization
        return try await response(to: request)
    }
}
