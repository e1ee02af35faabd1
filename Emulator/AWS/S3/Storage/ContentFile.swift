internal import CPosix
internal import Glibc
internal import Synchronization

/// The content of all objects and parts, in one file of blocks.
///
/// The content is not in the database, because the database would write each page twice, with a
/// checksum. The file has no metadata: rows of the database own blocks, and blocks without an owner
/// are free. So no clean-up is needed if the process ends between writing the bytes and the row.
final class ContentFile: Sendable {
    private static let blockBytes = 4096
    /// Freed runs of at least this length are returned to the file system.
    private static let returnedBlocksMin = 256

    private let descriptor: Int32
    private let state = Mutex(State())

    private struct State: Sendable {
        /// nil until all rows have been read.
        var free: FreeBlocks?
        /// Blocks that are being read are not reused, even if their row was deleted.
        var readers: [UInt64] = []
        var lastReader: UInt64 = 0
        var released: [(blocks: Range<Int>, lastReader: UInt64)] = []
    }

    /// nil for a temporary file.
    init(path: String?) throws(ObjectStoreFailure) {
        if let path {
            descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        } else {
            descriptor = latchkey_memory_open()
        }
        guard descriptor >= 0 else { throw .files(path == nil ? -descriptor : errno) }
    }

    deinit { close(descriptor) }

    // MARK: Blocks

    private static func blocks(of segment: Segment) -> Range<Int> {
        let count = (segment.byteCount + blockBytes - 1) / blockBytes
        return segment.firstBlock..<(segment.firstBlock + count)
    }

    var knowsItsBlocks: Bool { state.withLock { $0.free != nil } }

    /// Call this before anything is added or released, with the segments of all rows. Only the
    /// first call has an effect.
    func use(_ segments: [Segment]) {
        state.withLock { state in
            guard state.free == nil else { return }
            let free = FreeBlocks(used: segments.map(Self.blocks))
            state.free = free
            ftruncate(descriptor, free.end * Self.blockBytes)
        }
    }

    /// Marks segments that no row owns any more as free.
    func release(_ segments: [Segment]) {
        guard !segments.isEmpty else { return }
        state.withLock { state in
            for segment in segments {
                state.released.append((Self.blocks(of: segment), state.lastReader))
            }
            free(&state)
        }
    }

    private func free(_ state: inout State) {
        let oldest = state.readers.min() ?? .max
        let count = state.released.prefix { $0.lastReader < oldest }.count
        guard count > 0 else { return }
        for (blocks, _) in state.released[..<count] {
            if blocks.count >= Self.returnedBlocksMin {
                latchkey_punch_hole(
                    descriptor, blocks.lowerBound * Self.blockBytes,
                    blocks.count * Self.blockBytes)
            }
            state.free?.give(blocks)
        }
        state.released.removeFirst(count)
    }

    // MARK: Bytes

    /// Writes bytes to free blocks. A row must take ownership of them.
    func add(_ bytes: [UInt8]) throws(ObjectStoreFailure) -> Segment {
        let blockCount = (bytes.count + Self.blockBytes - 1) / Self.blockBytes
        let blocks = state.withLock { $0.free?.take(blockCount) }
        guard let blocks else { throw .damaged }
        let segment = Segment(firstBlock: blocks.lowerBound, byteCount: bytes.count)
        let start = segment.firstBlock * Self.blockBytes
        var failure: Int32?
        unsafe bytes.withUnsafeBytes { buffer in
            var written = 0
            while written < buffer.count {
                let count = unsafe pwrite(
                    descriptor, buffer.baseAddress.map { unsafe $0 + written },
                    buffer.count - written, start + written)
                if count >= 0 {
                    written += count
                } else if errno != EINTR {
                    failure = errno
                    return
                }
            }
        }
        guard let failure else { return segment }
        release([segment])
        throw .files(failure)
    }

    /// `body` may look up segments and read them; the segments are not overwritten until it
    /// returns.
    func whileReading<Result>(
        _ body: () throws(ObjectStoreFailure) -> Result
    ) throws(ObjectStoreFailure) -> Result {
        let reader = state.withLock { state in
            state.lastReader += 1
            state.readers.append(state.lastReader)
            return state.lastReader
        }
        defer {
            state.withLock { state in
                state.readers.removeAll { $0 == reader }
                free(&state)
            }
        }
        return try body()
    }

    /// The bytes of `range` of the concatenated segments.
    func read(_ segments: [Segment], _ range: Range<Int>) throws(ObjectStoreFailure) -> [UInt8] {
        var failure: ObjectStoreFailure?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: range.count) { buffer, filled in
            var start = 0
            for segment in segments {
                let wanted = range.clamped(to: start..<(start + segment.byteCount))
                var offset = segment.firstBlock * Self.blockBytes + wanted.lowerBound - start
                let end = offset + wanted.count
                start += segment.byteCount
                while offset < end {
                    let count = unsafe pread(
                        descriptor, buffer.baseAddress.map { unsafe $0 + filled }, end - offset,
                        offset)
                    if count > 0 {
                        filled += count
                        offset += count
                    } else if count == 0 || errno != EINTR {
                        failure = count == 0 ? .damaged : .files(errno)
                        return
                    }
                }
            }
        }
        if let failure { throw failure }
        guard bytes.count == range.count else { throw .damaged }
        return bytes
    }
}
