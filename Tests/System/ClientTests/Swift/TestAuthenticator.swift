import Foundation
import JSON
import LatchkeyClient
import Testing
import WebAuthnTestSupport

/// A passkey of a user who always agrees.
struct TestAuthenticator {
    private var authenticator: SoftwareAuthenticator

    init() throws { authenticator = try SoftwareAuthenticator() }

    /// The response to creation options. The credential gets the user's handle.
    mutating func register(_ ceremony: PasskeyCeremony) throws -> PasskeyResponse {
        let options = try JSON.parse(Array(ceremony.options), limits: .response)
        let handle = options["user"]?["id"]?.stringValue.flatMap(Base64URL.decode)
        authenticator.userHandle = Array(try #require(handle))
        let json = try authenticator.register(try challenge(of: ceremony))
        return PasskeyResponse(ceremony: ceremony.id, credential: Data(json.serialized))
    }

    func sign(_ ceremony: PasskeyCeremony) throws -> PasskeyResponse {
        let json = try authenticator.sign(try challenge(of: ceremony))
        return PasskeyResponse(ceremony: ceremony.id, credential: Data(json.serialized))
    }

    private func challenge(of ceremony: PasskeyCeremony) throws -> WebAuthn.Challenge {
        let options = try JSON.parse(Array(ceremony.options), limits: .response)
        let bytes = options["challenge"]?.stringValue.flatMap(Base64URL.decode)
        return try #require(bytes.flatMap { WebAuthn.Challenge(Array($0)) })
    }
}
