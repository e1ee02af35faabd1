// What the published vectors leave to us, and which of them do not apply here. Everything else
// runs, and every test below states how many cases ran, so that none can go missing in silence.
//
// "acceptable" in Wycheproof, RSA PKCS#1 v1.5 (one case in each file, flag MissingNull): the
// DigestInfo lacks its NULL parameter. Refused: RFC 8017 section 9.2 has one encoding, and
// RS256 signers write that one.
//
// RSA exponent 3 (three groups, one case each): the signatures are valid, the key is refused.
// FIPS 186-5 section 5.1 asks for at least 65537, and so do we.
//
// AES-GCM: keys of 128 and 192 bits and nonces that are not 96 bits long do not exist in our
// API. Those cases must be refused as keys, or cannot be expressed; they are counted apart.
//
// HMAC: truncated tags (`tagSize` 128) are no HMAC-SHA-256 for us. `isValid` must refuse them
// all, also the ones that are right as far as they go.
//
// HKDF: the three "invalid" cases ask for more than 255 blocks. Lengths are ours, never a
// stranger's, so that stops the process; an exit test shows it.
//
// Argon2: version 16, Argon2i and Argon2d are refused when read as a PHC string. Only Argon2id
// version 19 is ever computed.

/// What a Wycheproof case claims.
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
