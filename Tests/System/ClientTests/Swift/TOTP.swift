import AuthTestSupport
import Testing

/// The authenticator app of a test.
struct TOTP {
    let secret: String

    /// - Parameter ahead: time steps from now: each code can be used once.
    func code(ahead: Int64 = 0) throws -> String {
        let app = OneTimePassword(secret: SecretBytes(try #require(Base32.decode(secret))))
        return app.code(step: OneTimePassword.step(at: WallClock.system.now()) + ahead)
    }
}
