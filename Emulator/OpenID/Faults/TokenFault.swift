internal import Bytes

/// The faults of an ID token.
enum TokenFault: String, Sendable, CaseIterable {
    case unknownKeyID = "unknown-kid"
    case missingKeyID = "missing-kid"
    case wrongKey = "wrong-key"
    case ownKeyInHeader = "own-key-in-header"
    case previousKey = "previous-key"
    case algorithmNone = "alg-none"
    case publicKeyAsSecret = "hs256-with-public-key"
    case foreignES256 = "es256-with-wrong-key"
    case changedPayload = "changed-payload"
    case changedSignature = "changed-signature"
    case missingSignature = "missing-signature"

    case criticalHeader = "crit-header"
    case unencodedPayload = "b64-header"
    case wrongType = "wrong-type"
    case padded = "padded"
    case oversized = "oversized"
    case duplicateMember = "duplicate-member"
    case notJSON = "not-json"
    case fiveParts = "five-parts"

    case expired = "expired"
    case notYetValid = "not-yet-valid"
    case issuedInFuture = "issued-in-future"
    case tooOld = "too-old"
    case missingExpiry = "missing-expiry"
    case textualExpiry = "expiry-as-text"

    case wrongIssuer = "wrong-issuer"
    case wrongAudience = "wrong-audience"
    case wrongParty = "wrong-azp"
    case severalAudiences = "several-audiences"
    case missingAudience = "missing-audience"
    case wrongNonce = "wrong-nonce"
    case missingNonce = "missing-nonce"

    case missingSubject = "missing-subject"
    case missingEmail = "missing-email"
    case verifiedTrue = "email-verified-true"
    case verifiedTrueText = "email-verified-text-true"
    case verifiedFalse = "email-verified-false"
    case verifiedFalseText = "email-verified-text-false"
    case verifiedMissing = "email-verified-missing"

    init?(name: String) {
        guard let known = Self.allCases.first(where: { $0.rawValue.isSame(as: name) }) else {
            return nil
        }
        self = known
    }

    var sentence: String {
        switch self {
        case .unknownKeyID: "Signed with a key that is not published, under its own kid."
        case .missingKeyID: "The header has no kid."
        case .wrongKey: "Signed with an unpublished key, under the kid of a published one."
        case .ownKeyInHeader: "Signed with an unpublished key, which is in the header as jwk."
        case .previousKey: "Signed with the key before the last rotation, published or not."
        case .algorithmNone: "The algorithm is none, and there is no signature."
        case .publicKeyAsSecret: "HS256 with the published key, in PEM, as the secret."
        case .foreignES256: "ES256 with an unpublished key, under the kid of a published one."
        case .changedPayload: "The subject was changed after signing."
        case .changedSignature: "One bit of the signature is wrong."
        case .missingSignature: "The third part is empty."
        case .criticalHeader: "crit in the header names an unknown extension."
        case .unencodedPayload: "b64 and crit in the header, as RFC 7797 has them."
        case .wrongType: "typ in the header is at+jwt: an access token."
        case .padded: "The parts end in = as base64 does and base64url must not."
        case .oversized: "40,000 bytes of additional claims."
        case .duplicateMember: "The payload has sub twice, the first with another subject."
        case .notJSON: "Validly signed, but the payload is not JSON."
        case .fiveParts: "Five parts, as an encrypted token has."
        case .expired: "Expired two minutes ago."
        case .notYetValid: "nbf is ten minutes ahead."
        case .issuedInFuture: "iat is ten minutes ahead."
        case .tooOld: "Issued a day ago and valid for a week: only iat shows its age."
        case .missingExpiry: "exp is missing."
        case .textualExpiry: "exp is a string."
        case .wrongIssuer: "iss is another issuer."
        case .wrongAudience: "aud is another app's client id."
        case .wrongParty: "azp is another app's client id."
        case .severalAudiences: "aud is a list: another app's client id, then yours."
        case .missingAudience: "aud is missing."
        case .wrongNonce: "The nonce is not the one that was asked for."
        case .missingNonce: "nonce is missing."
        case .missingSubject: "sub is missing."
        case .missingEmail: "email is missing, as with some managed accounts."
        case .verifiedTrue: "email_verified is true. Valid: an app must accept it."
        case .verifiedTrueText: "email_verified is \"true\". Valid: an app must accept it."
        case .verifiedFalse: "email_verified is false."
        case .verifiedFalseText: "email_verified is \"false\", which is truthy in many languages."
        case .verifiedMissing: "email_verified is missing."
        }
    }
}
