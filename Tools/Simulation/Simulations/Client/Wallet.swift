import AuthTestSupport
import WebAuthnTestSupport

/// A person's authenticators other than passwords: authenticator apps and passkeys.
final class Wallet: @unchecked Sendable {
    enum Failure: Error { case options }

    /// The authenticator apps, the latest first. Some were never confirmed, and some were removed.
    private(set) var apps: [OneTimePassword] = []
    /// The recovery codes of the latest authenticator app.
    var recoveryCodes: [String] = []
    private(set) var passkeys: [SoftwareAuthenticator] = []
    private let seed: UInt64
    private let clock: TestClock

    private static let appsMax = 3

    init(seed: UInt64, _ clock: TestClock) {
        self.seed = seed
        self.clock = clock
    }

    /// Adds the secret of an enrolment.
    ///
    /// - Returns: the first code.
    func addApp(secret: String) -> String {
        let app = OneTimePassword(secret: SecretBytes(Self.base32(secret)))
        apps = [app] + apps.prefix(Self.appsMax - 1)
        return code(of: app)
    }

    func code(of app: OneTimePassword) -> String {
        app.code(step: OneTimePassword.step(at: clock.now))
    }

    private static func base32(_ text: String) -> [UInt8] {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
        var (bytes, buffer, bits) = ([UInt8](), 0, 0)
        for letter in text.utf8 {
            guard let value = alphabet.firstIndex(of: letter) else { continue }
            buffer = (buffer << 5 | value) & 0xFFF
            bits += 5
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: buffer >> bits))
            }
        }
        return bytes
    }

    /// Makes a passkey for the options, as a platform does.
    ///
    /// - Returns: RegistrationResponseJSON.
    func makePasskey(_ options: [UInt8]) throws -> [UInt8] {
        let (challenge, json) = try Self.challenge(options)
        var new = try SoftwareAuthenticator(seed: seed &+ UInt64(passkeys.count) &* 7919)
        new.userHandle = json["user"]?["id"]?.stringValue.flatMap(Base64URL.decode)
        passkeys.append(new)
        return try new.register(challenge).serialized
    }

    /// - Returns: AuthenticationResponseJSON of one of the passkeys.
    func usePasskey(_ choice: Int, _ options: [UInt8]) throws -> [UInt8] {
        try passkeys[choice % passkeys.count].sign(try Self.challenge(options).challenge).serialized
    }

    private static func challenge(
        _ options: [UInt8]
    ) throws -> (challenge: WebAuthn.Challenge, options: JSON) {
        let json = try JSON.parse(options, limits: .event)
        guard let bytes = json["challenge"]?.stringValue.flatMap(Base64URL.decode),
            let challenge = WebAuthn.Challenge(bytes)
        else { throw Failure.options }
        return (challenge, json)
    }
}
