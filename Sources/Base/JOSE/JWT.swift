internal import Bytes
package import Cryptography
package import JSON

/// JSON Web Token (RFC 7519).
package enum JWT {
    /// `includesKeyID` is false only for the contract whose tokens have no `kid`.
    package static func sign(
        _ claims: JSONObject, with key: SigningKey, type: String?, includesKeyID: Bool,
        bytesMax: Int = CompactToken.bytesMax
    ) throws(CryptoFailure) -> String {
        var header = JSONObject()
        if includesKeyID { header["kid"] = .string(key.kid) }
        if let type { header["typ"] = .string(type) }
        return try JWS.sign(claims.serialized, header: header, with: key, bytesMax: bytesMax)
    }

    /// Verifies the signature first, then decodes and checks the claims.
    package static func verify(
        _ token: String, keys: KeySet, expecting expectations: TokenExpectations
    ) throws(TokenFailure) -> VerifiedToken {
        try verify(try CompactToken(parsing: token), keys: keys, expecting: expectations)
    }

    package static func verify(
        _ token: CompactToken, keys: KeySet, expecting expectations: TokenExpectations
    ) throws(TokenFailure) -> VerifiedToken {
        let verified = try JWS.verify(token, keys: keys)
        try expectations.checkType(verified.header["typ"]?.stringValue)
        let claims = try RegisteredClaims(
            parsing: verified.payload, allowsIntegerSubject: expectations.allowsIntegerSubject)
        try expectations.check(claims)
        return VerifiedToken(verified, claims: claims)
    }
}
