internal import Glibc

/// The memory of one hash, in pages of 2 MiB if the kernel allows that. With pages of 4 KiB, a
/// third of a hash's processor time is spent on 5,000 page faults, because the kernel clears each
/// page at its first use.
///
/// The kernel clears the memory before another process gets it.
enum Argon2Memory {
    private static let pageBytes = 2 << 20

    /// - Returns: nil without enough memory.
    static func allocate(_ count: Int) -> UnsafeMutablePointer<UInt8>? {
        let size = rounded(count)
        // The address of a large page must be a multiple of its size.
        let slack = count < pageBytes ? 0 : pageBytes
        guard
            let start = mmap(
                nil, size + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            start != MAP_FAILED
        else { return nil }
        guard slack > 0 else { return start.assumingMemoryBound(to: UInt8.self) }
        let before = (pageBytes - Int(bitPattern: start) % pageBytes) % pageBytes
        let memory = start + before
        if before > 0 { munmap(start, before) }
        if before < slack { munmap(memory + size, slack - before) }
        // This is only advice: without large pages, the memory has small ones.
        _ = madvise(memory, size, MADV_HUGEPAGE)
        return memory.assumingMemoryBound(to: UInt8.self)
    }

    static func free(_ memory: UnsafeMutablePointer<UInt8>, _ count: Int) {
        munmap(memory, rounded(count))
    }

    fileprivate static func rounded(_ count: Int) -> Int {
        let unit = count < pageBytes ? 4096 : pageBytes
        return (count + unit - 1) / unit * unit
    }
}

/// Replaces `mmap` in libsodium (scripts/sodium/argon2id.c), which expects `MAP_FAILED` on failure.
@c(latchkey_argon2_map) func sodiumMap(_ count: Int) -> UnsafeMutableRawPointer? {
    Argon2Memory.allocate(count).map { UnsafeMutableRawPointer($0) } ?? MAP_FAILED
}

@c(latchkey_argon2_unmap) func sodiumUnmap(
    _ memory: UnsafeMutableRawPointer, _ count: Int
) -> Int32 {
    munmap(memory, Argon2Memory.rounded(count))
}
