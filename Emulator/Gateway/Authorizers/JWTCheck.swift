internal import Bytes
internal import EmulatorBase
internal import JOSE
internal import JSON
internal import Time

/// The checks of an HTTP API's JWT authorizer, with the gateway's messages (API Gateway Developer
/// Guide, "Control access to HTTP APIs with JWT authorizers").
enum JWTCheck {
    enum Failure: Error, Equatable {
        case noToken
        case invalid(String)
        case insufficientScope
        /// The issuer's key set does not have the token's key. The copy here may be outdated.
        case unknownKey
    }

    /// `Bearer <token>`, or only the token.
    static func token(in value: String) -> String? {
        let text = value.trimmingBlanks
        let (first, second) = text.halves(at: " ")
        let token = first.equalsIgnoringCase("bearer") ? second?.trimmingBlanks ?? "" : text
        return token.isEmpty ? nil : token
    }

    /// Checks the form of a token before keys are fetched, because no key could have signed a
    /// malformed token.
    static func checkForm(_ token: String) throws(Failure) {
        let parts = token.pieces(at: ".")
        guard parts.count == 3, let bytes = Base64URL.decode(parts[0]),
            let header = try? JSON.parse(bytes, limits: .request),
            let algorithm = header["alg"]?.stringValue
        else { throw .invalid("the token is malformed") }
        guard algorithm.isSame(as: Algorithm.rs256.rawValue) else {
            let name = String(
                decoding: algorithm.utf8.prefix(32).filter {
                    $0.isLetterOrDigit || $0 == 0x2D
                }, as: UTF8.self)
            throw .invalid("signing method \(name) is invalid")
        }
    }

    static func claims(
        _ token: String, keys: KeySet, authorizer: JWTAuthorizer, now: Instant
    ) throws(Failure) -> JSONObject {
        let payload: [UInt8]
        do throws(TokenFailure) {
            payload = try JWS.verify(token, keys: keys).payload
        } catch .unknownKeyID {
            throw .unknownKey
        } catch .missingKeyID {
            throw .invalid("kid not found in the token header")
        } catch .badSignature {
            throw .invalid("the signature is invalid")
        } catch {
            throw .invalid("the token is malformed")
        }
        guard let claims = (try? JSON.parse(payload, limits: .request))?.objectValue else {
            throw .invalid("the token is malformed")
        }
        try check(claims, authorizer, now: now)
        return claims
    }

    private static func check(
        _ claims: JSONObject, _ authorizer: JWTAuthorizer, now: Instant
    ) throws(Failure) {
        guard let issuer = claims["iss"]?.stringValue, issuer.isSame(as: authorizer.issuer) else {
            throw .invalid("invalid issuer")
        }
        let audiences: [String]
        if let claim = claims["aud"] {
            audiences =
                claim.stringValue.map { [$0] } ?? claim.arrayValue?.compactMap(\.stringValue) ?? []
        } else {
            audiences = claims["client_id"]?.stringValue.map { [$0] } ?? []
        }
        guard audiences.contains(where: authorizer.audiences.containsText) else {
            throw .invalid("the token does not have a valid audience")
        }
        guard let expiry = claims["exp"].flatMap(seconds), now.seconds < expiry else {
            throw .invalid("the token has expired")
        }
        if let claim = claims["nbf"] {
            guard let start = seconds(claim), start <= now.seconds else {
                throw .invalid("the token is not valid yet")
            }
        }
        if let claim = claims["iat"] {
            guard let issued = seconds(claim), issued <= now.seconds else {
                throw .invalid("the token was used before it was issued")
            }
        }
    }

    /// The claim in whole seconds; the claim itself may have a fraction.
    private static func seconds(_ claim: JSON) -> Int64? {
        guard let text = claim.numberValue?.text, let value = Double(text),
            value.magnitude < 1e15
        else { return nil }
        return Int64(value.rounded(.down))
    }

    /// The route's scopes that the token has; one suffices.
    static func scopes(
        _ claims: JSONObject, required: [String]
    ) throws(Failure) -> [String]? {
        guard !required.isEmpty else { return nil }
        var granted = claims["scope"]?.stringValue.map { $0.pieces(at: " ") } ?? []
        if let claim = claims["scp"] {
            granted +=
                claim.stringValue.map { $0.pieces(at: " ") }
                ?? claim.arrayValue?.compactMap(\.stringValue) ?? []
        }
        let common = required.filter(granted.containsText)
        guard !common.isEmpty else { throw .insufficientScope }
        return common
    }

    /// In the event every value is a string; a list becomes `[a b]`.
    static func stringified(_ claims: JSONObject) -> JSONObject {
        JSONObject(claims.members.map { ($0.name, .string(text($0.value))) })
    }

    private static func text(_ value: JSON) -> String {
        switch value {
        case .null: "<nil>"
        case .bool, .number, .string: value.scalarText ?? ""
        case .array(let elements): "[\(elements.map(text).joined(separator: " "))]"
        case .object(let object):
            "map[\(object.members.map { "\($0.name):\(text($0.value))" }.joined(separator: " "))]"
        }
    }

    static func refusal(_ failure: Failure) -> GatewayError {
        switch failure {
        case .noToken: .unauthorized(challenge: "Bearer")
        case .invalid(let why):
            .unauthorized(
                challenge:
                    #"Bearer scope="" error="invalid_token" error_description="\#(why)""#)
        case .unknownKey:
            .unauthorized(
                challenge: #"Bearer scope="" error="invalid_token" "#
                    + #"error_description="unable to find a signing key that matches the token""#)
        case .insufficientScope:
            .scopeMissing(challenge: #"Bearer scope="" error="insufficient_scope""#)
        }
    }
}
