internal import Glibc

/// Bytes that cannot be printed, are compared in constant time, and are wiped when freed.
///
/// Only this copy is wiped. The array from which it is made is wiped too, if there is no other
/// reference to it. The caller of `reveal` is responsible for the copy it gets.
package struct SecretBytes: Sendable {
    private let storage: Storage

    package init(_ bytes: consuming [UInt8]) {
        storage = Storage(count: bytes.count)
        unsafe bytes.withUnsafeMutableBytes { source in
            unsafe storage.buffer.copyMemory(from: UnsafeRawBufferPointer(source))
            unsafe wipe(source)
        }
    }

    package init(utf8 text: String) {
        self.init(Array(text.utf8))
    }

    package var count: Int { unsafe storage.buffer.count }

    package var isEmpty: Bool { count == 0 }

    /// The only way to get a copy of the bytes, so that each use is easy to find and review.
    package func reveal() -> [UInt8] {
        unsafe Array(storage.buffer)
    }

    /// Gives access to the bytes without a copy, for the duration of the call. Calls of C libraries
    /// use this.
    package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withExtendedLifetime(storage) {
            unsafe body(UnsafeRawBufferPointer(storage.buffer))
        }
    }

    /// The only owner of the bytes.
    ///
    /// Unchecked Sendable because of the raw pointer: the buffer is filled before `init` of
    /// `SecretBytes` returns, is only read after that, and has no other owner.
    @safe private final class Storage: @unchecked Sendable {
        let buffer: UnsafeMutableRawBufferPointer

        init(count: Int) {
            unsafe buffer = .allocate(byteCount: count, alignment: 16)
        }

        deinit {
            unsafe wipe(buffer)
            unsafe buffer.deallocate()
        }
    }
}

extension SecretBytes: Equatable {
    package static func == (left: SecretBytes, right: SecretBytes) -> Bool {
        guard left.count == right.count else { return false }
        return unsafe left.withUnsafeBytes { leftBytes in
            unsafe right.withUnsafeBytes { rightBytes in
                var difference: UInt8 = 0
                for index in leftBytes.indices {
                    unsafe difference |= leftBytes[index] ^ rightBytes[index]
                }
                return difference == 0
            }
        }
    }
}

// All three conformances are needed: otherwise string interpolation, `dump` or a failed expectation
// would print the bytes.
extension SecretBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<secret>" }
    package var debugDescription: String { "<secret>" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// `explicit_bzero`, because an optimiser may remove a plain fill of memory that is freed next.
private func wipe(_ bytes: UnsafeMutableRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    unsafe explicit_bzero(start, bytes.count)
}
