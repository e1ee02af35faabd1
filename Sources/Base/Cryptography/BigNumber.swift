internal import Bytes
internal import COpenSSL

/// Conversions between bytes and `BIGNUM`.
enum BigNumber {
    /// The number's big-endian bytes, padded on the left to `width`.
    static func bytes(_ number: OpaquePointer?, width: Int?) throws(CryptoFailure) -> [UInt8] {
        let needed = (Int(BN_num_bits(number)) + 7) / 8
        let width = width ?? needed
        guard needed <= width else { throw .invalidKey }
        var bytes = [UInt8](repeating: 0, count: width)
        guard BN_bn2binpad(number, &bytes, Int32(width)) == Int32(width) else {
            throw .libraryFailure
        }
        return bytes
    }

    /// Calls the closure with a number made from big-endian bytes and wipes it afterwards.
    static func with<Result>(
        _ bytes: SecretBytes, _ body: (OpaquePointer) throws(CryptoFailure) -> Result
    ) throws(CryptoFailure) -> Result {
        let number = try OpenSSL.check(
            bytes.withUnsafeBytes { BN_bin2bn($0.baseAddress, Int32($0.count), nil) })
        defer { BN_clear_free(number) }
        return try body(number)
    }

    static func with<Result>(
        _ bytes: [UInt8], _ body: (OpaquePointer) throws(CryptoFailure) -> Result
    ) throws(CryptoFailure) -> Result {
        try with(SecretBytes(bytes), body)
    }
}
