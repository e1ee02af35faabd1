/// Check codewords over GF(256) with the polynomial x^8 + x^4 + x^3 + x^2 + 1 (section 7.5.2).
struct ReedSolomon {
    /// Coefficients of the generator polynomial below its leading 1, the highest first.
    private let generator: [UInt8]

    init(checkCount: Int) {
        // (x - 2^0) (x - 2^1) … (x - 2^(checkCount - 1))
        var coefficients = [UInt8](repeating: 0, count: checkCount - 1) + [1]
        var root: UInt8 = 1
        for _ in 0..<checkCount {
            for index in coefficients.indices {
                coefficients[index] = Self.product(coefficients[index], root)
                if index + 1 < coefficients.count { coefficients[index] ^= coefficients[index + 1] }
            }
            root = Self.product(root, 2)
        }
        generator = coefficients
    }

    /// The remainder of the division by the generator polynomial.
    func checkCodewords(_ data: [UInt8]) -> [UInt8] {
        var remainder = [UInt8](repeating: 0, count: generator.count)
        for byte in data {
            let factor = byte ^ remainder.removeFirst()
            remainder.append(0)
            for index in remainder.indices {
                remainder[index] ^= Self.product(generator[index], factor)
            }
        }
        return remainder
    }

    static func product(_ left: UInt8, _ right: UInt8) -> UInt8 {
        var product = 0
        for index in stride(from: 7, through: 0, by: -1) {
            product = product << 1 ^ (product >> 7) * 0x11D
            product ^= Int(right >> UInt8(index) & 1) * Int(left)
        }
        return UInt8(product)
    }
}
