import AppSupport
import Foundation
import LatchkeyClient

/// Signs in with a mailed link: `shell://auth/callback?token=…`.
struct DeepLinkCoordinator {
    let authUseCase: AuthUseCase

    /// Returns whether the URL is such a link.
    @discardableResult func handleDeepLink(_ url: URL) async throws -> Bool {
        guard url.scheme == "shell", url.host() == "auth", url.path() == "/callback" else {
            return false
        }
        let components = URLComponents(url: url, resolvingAgainstBaseURL: false)
        guard let token = components?.queryItems?.first(where: { $0.name == "token" })?.value
        else { return false }
        try await authUseCase.authenticateWithMagicLink(token: token)
        return true
    }
}
