import AppSupport
import Foundation
import LatchkeyClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The original app's name for the type that calls the authentication routes.
typealias AuthHTTPClient = LatchkeyClient

/// Adds the client's token to the requests of the app's existing HTTP layer. Without such a layer,
/// ``LatchkeyClient/send(_:)`` does the same.
actor AuthRequestInterceptor: RequestInterceptor {
    private let authHTTPClient: AuthHTTPClient
    private var refreshTask: Task<Void, any Error>?

    init(authHTTPClient: AuthHTTPClient) { self.authHTTPClient = authHTTPClient }

    /// Without a session the request is sent unchanged.
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

    /// Whether to send the request again, after a 401 and with another token.
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
        // The interceptor owns this task. If the refused token is older than the current one, no
        // refresh is needed.
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
                // The client has removed the session. After any other failure the session
                // continues.
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
