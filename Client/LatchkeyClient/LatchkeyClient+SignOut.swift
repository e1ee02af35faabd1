import Foundation

/// The sessions that a sign-out ends.
public enum SignOutScope: String, Sendable {
    case session, all
}

/// The result of a sign-out. The session has always ended on this device.
public struct SignOutResult: Equatable, Sendable {
    /// nil if the server has ended the session, or the contract has no sign-out.
    public let serverError: AuthError?
    /// nil if the tokens are no longer stored. Otherwise the client keeps trying to remove them.
    public let storeError: AuthError?

    package init(serverError: AuthError? = nil, storeError: AuthError? = nil) {
        self.serverError = serverError
        self.storeError = storeError
    }
}

extension LatchkeyClient {
    /// Ends the session: at once on this device, then in the store, and on the server if it can be
    /// reached.
    ///
    /// A sign-out takes precedence over everything under way: requests that began earlier cannot
    /// bring the session back.
    public func signOut(_ scope: SignOutScope = .session) async -> SignOutResult {
        if machine.state.isUnknown { _ = try? await restore() }
        let (live, storeError) = await endLocally()
        var serverError: AuthError?
        if let live, contract.supports(.signOut) {
            serverError = await endOnServer(live.record, scope: scope)
        }
        return SignOutResult(serverError: serverError, storeError: storeError)
    }

    /// - Parameter id: the session to end; nil ends any session.
    /// - Returns: the session that has ended, and why it may still be stored.
    @discardableResult
    func endLocally(only id: String? = nil) async -> (LiveSession?, AuthError?) {
        let live = apply { $0.signOut(only: id) }
        await enterGate()
        defer { leaveGate() }
        return (live, await removeEnded())
    }

    /// - Returns: nil if the server has ended the session.
    func endOnServer(_ record: SessionRecord, scope: SignOutScope) async -> AuthError? {
        let first = await sendSignOut(record, scope: scope)
        guard let first, contract.refresh.signOutNeedsAccess, case .refused(let refusal) = first,
            refusal.status == 401, let token = record.refreshToken
        else { return first }
        // The access token has expired. The refreshed token is used only to sign out, and is not
        // stored.
        guard case .renewed(let answer) = await sendRefresh(token) else { return first }
        var renewed = record
        renewed.renew(with: answer)
        return await sendSignOut(renewed, scope: scope)
    }

    private func sendSignOut(_ record: SessionRecord, scope: SignOutScope) async -> AuthError? {
        do throws(AuthError) {
            guard scope == .session || contract.names.hasRequestSecret else {
                return .unsupported("signing out of all sessions in \(contract.name)")
            }
            var members: [String: JSON] = [:]
            members[contract.names.refreshToken] = record.refreshToken?.json
            if scope != .session { members["scope"] = scope.rawValue.json }
            var request = try await request(.signOut, body: .object(members))
            request = try await proving(request, accessToken: record.accessToken)
            request.headers["Authorization"] = "\(record.tokenType) \(record.accessToken)"
            let response = try await response(to: request)
            if (200..<300).contains(response.status) { return nil }
            return AuthError(response, contract.problem(ErrorBody(json: JSON(response.body))))
        } catch {
            return error
        }
    }
}
