internal import CZlib

/// Why compressed bytes were refused.
package enum CompressionError: Error, Equatable, Sendable {
    case damaged
    /// The result would exceed the caller's limit.
    case tooLarge
}

extension ContentCoding {
    /// zlib's window size, plus the bits that select the format (zlib.h, "deflateInit2").
    private var windowBits: Int32 {
        switch self {
        case .gzip: MAX_WBITS + 16
        case .deflate: MAX_WBITS
        }
    }

    private static let chunkBytes = 64 << 10

    package func compress(_ bytes: [UInt8]) -> [UInt8] {
        var stream = z_stream()
        guard
            deflateInit2_(
                &stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, windowBits, MAX_MEM_LEVEL - 1,
                Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { preconditionFailure("zlib cannot be used") }
        defer { deflateEnd(&stream) }
        // A buffer of this size needs only one call.
        let bound = Int(deflateBound(&stream, UInt(bytes.count)))
        return [UInt8](unsafeUninitializedCapacity: bound) { output, count in
            bytes.withUnsafeBufferPointer { input in
                stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(output.count)
                _ = CZlib.deflate(&stream, Z_FINISH)
            }
            count = output.count - Int(stream.avail_out)
        }
    }

    /// - Parameter bytesMax: the maximum size of the result.
    package func decompress(
        _ bytes: [UInt8], bytesMax: Int
    ) throws(CompressionError) -> [UInt8] {
        var whole: [UInt8] = []
        var rest = bytes[...]
        repeat {
            rest = rest.dropFirst(try decompressMember(rest, into: &whole, bytesMax: bytesMax))
            // A gzip file may have several members (RFC 1952 section 2.2). The service ignores any
            // other trailing data, and so does this code.
        } while self == .gzip && rest.starts(with: [0x1F, 0x8B])
        return whole
    }

    /// Returns the number of bytes read.
    private func decompressMember(
        _ bytes: ArraySlice<UInt8>, into whole: inout [UInt8], bytesMax: Int
    ) throws(CompressionError) -> Int {
        var stream = z_stream()
        guard
            inflateInit2_(
                &stream, windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { throw .damaged }
        defer { inflateEnd(&stream) }
        var state = Z_OK
        var result = whole
        var isTooLarge = false
        bytes.withUnsafeBufferPointer { input in
            stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
            stream.avail_in = UInt32(input.count)
            while state == Z_OK, !isTooLarge {
                let chunk = [UInt8](unsafeUninitializedCapacity: Self.chunkBytes) { output, count in
                    stream.next_out = output.baseAddress
                    stream.avail_out = UInt32(output.count)
                    state = inflate(&stream, Z_NO_FLUSH)
                    count = output.count - Int(stream.avail_out)
                }
                isTooLarge = result.count + chunk.count > bytesMax
                result += chunk
                if chunk.isEmpty, state == Z_OK { state = Z_BUF_ERROR }
            }
        }
        guard !isTooLarge else { throw .tooLarge }
        guard state == Z_STREAM_END else { throw .damaged }
        whole = result
        return bytes.count - Int(stream.avail_in)
    }
}
