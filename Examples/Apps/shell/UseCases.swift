import AppSupport
import Foundation
import LatchkeyClient

struct AuthUseCase {
    let authHTTPClient: AuthHTTPClient

    func authenticateWithMagicLink(token: String) async throws {
        do throws(ClientError) {
            _ = try await authHTTPClient.redeemLink(.token(token))
        } catch {
            throw AuthError(error)
        }
    }
}

struct LoginUseCase {
    let authHTTPClient: AuthHTTPClient

    func execute(email: String, password: String) async throws {
        do throws(ClientError) {
            _ = try await authHTTPClient.logIn(email: email, password: password)
        } catch {
            throw AuthError(error)
        }
    }
}

struct LogoutUseCase {
    let authHTTPClient: AuthHTTPClient

    /// Always signs out on this device.
    func execute() async { _ = await authHTTPClient.signOut() }
}

struct RefreshSessionUseCase {
    let authHTTPClient: AuthHTTPClient

    func execute() async throws {
        do throws(ClientError) {
            let present = try await authHTTPClient.validToken()
            _ = try await authHTTPClient.validToken(minimumLife: present.life + .milliseconds(1))
        } catch {
            throw AuthError(error)
        }
    }
}
