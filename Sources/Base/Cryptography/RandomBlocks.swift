internal import Synchronization

extension RandomSource {
    /// Reads random bytes in blocks, with one system call for each block, for the IDs of requests.
    /// Do not use it for secrets: the unused rest of a block remains in memory.
    package func inBlocks(ofBytes blockBytes: Int = 4096) -> RandomSource {
        let stock = RandomStock()
        return RandomSource { count in stock.draw(count, from: self, blockBytes: blockBytes) }
    }
}

private final class RandomStock: Sendable {
    private let rest = Mutex<ArraySlice<UInt8>>([])

    func draw(_ count: Int, from source: RandomSource, blockBytes: Int) -> [UInt8] {
        let drawn = rest.withLock { rest in
            if rest.count < count { rest = source.bytes(max(count, blockBytes))[...] }
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count)
        }
        return Array(drawn)
    }
}
