internal import Bytes
package import JSON
package import WebAuthn

extension RegistrationResponse {
    /// As `PublicKeyCredential.toJSON()` writes it.
    package var json: JSON {
        [
            "id": .string(id.text), "rawId": .string(id.text), "type": "public-key",
            "authenticatorAttachment": "platform",
            "response": [
                "clientDataJSON": .string(Base64URL.encode(clientDataJSON)),
                "attestationObject": .string(Base64URL.encode(attestationObject)),
                "transports": .array(transports.map { .string($0) }),
            ],
            "clientExtensionResults": ["credProps": ["rk": true]],
        ]
    }
}

extension AssertionResponse {
    /// As `PublicKeyCredential.toJSON()` writes it.
    package var json: JSON {
        var response: JSONObject = [
            "clientDataJSON": .string(Base64URL.encode(clientDataJSON)),
            "authenticatorData": .string(Base64URL.encode(authenticatorData)),
            "signature": .string(Base64URL.encode(signature)),
        ]
        if let userHandle { response["userHandle"] = .string(userHandle.text) }
        return [
            "id": .string(id.text), "rawId": .string(id.text), "type": "public-key",
            "authenticatorAttachment": "platform", "response": .object(response),
            "clientExtensionResults": [:],
        ]
    }
}
