import AppSupport
import Foundation
import LatchkeyClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The seed's name for what calls the routes of authentication.
typealias AuthHTTPClient = LatchkeyClient

/// Puts the client's token into the requests of an HTTP layer that the app already has. Without
/// such a layer, ``LatchkeyClient/send(_:)`` does the same.
actor AuthRequestInterceptor: RequestInterceptor {
    private let authHTTPClient: AuthHTTPClient
    private var refreshTask: Task<Void, any Error>?

    init(authHTTPClient: AuthHTTPClient) { self.authHTTPClient = authHTTPClient }

    /// Without a session the request passes as it is.
    func adapt(_ request: URLRequest) async throws -> URLRequest {
        let token: AccessToken
        do throws(ClientError) {
            token = try await authHTTPClient.validToken()
        } catch .signedOut {
            return request
        } catch .signInAgain {
            throw AuthError.refreshFailed
        } catch {
            throw AuthError(error)
        }
        var request = request
        request.setValue(token.authorization, forHTTPHeaderField: "Authorization")
        return request
    }

    /// Whether the request is to be sent again: after a 401, with another token.
    func retry(_ request: URLRequest, with error: any Error) async throws -> Bool {
        guard let refused = error as? RefusedRequest, refused.status == 401 else {
            return false
        }
        guard let sent = request.value(forHTTPHeaderField: "Authorization") else {
            throw AuthError.noRefreshToken
        }
        if let refreshTask {
            try await refreshTask.value
            return true
        }
        // Owned by this interceptor. A refusal with an older token than the present one needs none.
        let task = Task {
            defer { refreshTask = nil }
            do throws(ClientError) {
                let present = try await authHTTPClient.validToken()
                guard present.authorization == sent else { return }
                _ = try await authHTTPClient.validToken(
                    minimumLife: present.life + .milliseconds(1))
            } catch .signedOut {
                throw AuthError.noRefreshToken
            } catch .signInAgain {
                // The client has removed the session. After another failure it stays.
                throw AuthError.refreshFailed
            } catch {
                throw AuthError(error)
            }
        }
        refreshTask = task
        try await task.value
        return true
    }
}
