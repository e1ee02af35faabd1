// How the published vectors are applied. All cases run except those listed here, and each test
// asserts the number of cases, so that none is skipped silently.
//
// "acceptable" in Wycheproof, RSA PKCS#1 v1.5 (one case in each file, flag MissingNull): the
// DigestInfo lacks its NULL parameter. Refused: RFC 8017 section 9.2 has one encoding, which RS256
// signers use.
//
// RSA exponent 3 (three groups, one case each): the signatures are valid, but the key is refused,
// because FIPS 186-5 section 5.1 requires at least 65537.
//
// AES-GCM: our API has no keys of 128 and 192 bits and no nonces other than 96 bits. Those cases
// must be refused as keys, or cannot be expressed; they are counted separately.
//
// HMAC: truncated tags (`tagSize` 128) are not accepted. `isValid` must refuse them all, including
// correct ones.
//
// HKDF: the three "invalid" cases request more than 255 blocks. Lengths are constants of our code,
// never untrusted input, so that traps; an exit test checks it.
//
// Argon2: version 16, Argon2i and Argon2d are refused when parsed as a PHC string. Only Argon2id
// version 19 is ever computed.

/// The expected result of a Wycheproof case.
enum Verdict: String, Decodable {
    case valid, invalid, acceptable
}

enum VectorPolicy {
    static func accepts(_ verdict: Verdict) -> Bool {
        switch verdict {
        case .valid: true
        case .invalid, .acceptable: false
        }
    }
}
