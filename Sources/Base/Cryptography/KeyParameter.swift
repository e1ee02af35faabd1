internal import Bytes
internal import COpenSSL
internal import Glibc

/// One named component of a key, as `EVP_PKEY_fromdata` takes it.
enum KeyParameter {
    /// An unsigned big-endian integer.
    case number(StaticString, SecretBytes)
    case octets(StaticString, SecretBytes)
    case text(StaticString, String)

    /// Calls the closure with the parameters as an `OSSL_PARAM` array, terminated by an empty
    /// entry. The copies are wiped afterwards.
    static func withList<Result>(
        _ parameters: [KeyParameter], _ body: (UnsafeMutablePointer<OSSL_PARAM>) -> Result
    ) -> Result {
        var list: [OSSL_PARAM] = []
        var copies: [UnsafeMutableRawBufferPointer] = []
        for parameter in parameters {
            let copy = parameter.copyValue()
            copies.append(copy)
            list.append(parameter.described(copy))
        }
        list.append(OSSL_PARAM_construct_end())
        defer {
            for copy in copies {
                OPENSSL_cleanse(copy.baseAddress, copy.count)
                copy.deallocate()
            }
        }
        return list.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress else { preconditionFailure("never empty") }
            return body(start)
        }
    }

    private func copyValue() -> UnsafeMutableRawBufferPointer {
        let bytes: [UInt8]
        switch self {
        // OpenSSL expects native byte order, which is little-endian on every supported platform.
        case .number(_, let value): bytes = value.reveal().reversed()
        case .octets(_, let value): bytes = value.reveal()
        case .text(_, let value): bytes = Array(value.utf8) + [0]
        }
        let copy = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(bytes.count, 1), alignment: 16)
        copy.initializeMemory(as: UInt8.self, repeating: 0)
        copy.copyBytes(from: bytes)
        return copy
    }

    private func described(_ copy: UnsafeMutableRawBufferPointer) -> OSSL_PARAM {
        let bytes = copy.bindMemory(to: UInt8.self).baseAddress
        switch self {
        case .number(let name, _):
            return OSSL_PARAM_construct_BN(name.cString, bytes, copy.count)
        case .octets(let name, let value):
            return OSSL_PARAM_construct_octet_string(name.cString, bytes, value.count)
        case .text(let name, _):
            // A length of zero means that the string ends at its NUL.
            return OSSL_PARAM_construct_utf8_string(
                name.cString, copy.bindMemory(to: CChar.self).baseAddress, 0)
        }
    }
}

extension StaticString {
    fileprivate var cString: UnsafePointer<CChar> {
        UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
    }
}

extension KeyHandle {
    /// A number of the key, big-endian and without leading zeros, or padded to `width`.
    func number(_ name: String, width: Int? = nil) throws(CryptoFailure) -> SecretBytes {
        var number: OpaquePointer?
        let code = EVP_PKEY_get_bn_param(pointer, name, &number)
        defer { BN_clear_free(number) }
        guard OpenSSL.succeeded(code), number != nil else { throw .invalidKey }
        return SecretBytes(try BigNumber.bytes(number, width: width))
    }

    /// A short text component of the key, such as the name of its curve.
    func text(_ name: String) -> String? {
        var buffer = [CChar](repeating: 0, count: 64)
        var count = 0
        let code = EVP_PKEY_get_utf8_string_param(pointer, name, &buffer, buffer.count, &count)
        guard OpenSSL.succeeded(code), count < buffer.count else { return nil }
        return String(
            validating: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
