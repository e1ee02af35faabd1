/// Whether the modulus has the fingerprint of Infineon's weak key generator (CVE-2017-15361):
/// modulo every small prime it is a power of 65537 (Nemec et al., CCS 2017, section 2.3).
///
/// The false positive rate for other moduli is 2^-27.
func hasROCAFingerprint(_ modulus: [UInt8]) -> Bool {
    smallPrimes.allSatisfy { prime in
        let residue = modulus.reduce(UInt32(0)) { ($0 << 8 | UInt32($1)) % prime }
        var power: UInt32 = 1
        repeat {
            if power == residue { return true }
            power = power * (65537 % prime) % prime
        } while power != 1
        return false
    }
}

/// The odd primes up to 167.
private let smallPrimes: [UInt32] = [
    3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97,
    101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151, 157, 163, 167,
]
