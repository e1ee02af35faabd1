internal import Glibc
internal import Time

/// Metrics of the process, under their customary names.
enum ProcessInstruments {
    /// - Parameter start: when the process started to serve.
    static func all(start: Instant) -> [any Instrument] {
        [
            Sampled(.gauge, "process_start_time_seconds", "When the process started to serve.") {
                [([], Int(start.seconds))]
            },
            Sampled(.gauge, "process_resident_memory_bytes", "Memory in use.") {
                residentBytes.map { [([], $0)] } ?? []
            },
        ]
    }

    /// The second number of /proc/self/statm (proc(5)), in pages.
    private static var residentBytes: Int? {
        let descriptor = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var text = [UInt8](repeating: 0, count: 128)
        let count = read(descriptor, &text, text.count)
        guard count > 0 else { return nil }
        let numbers = text.prefix(count).split(separator: UInt8(ascii: " "))
        guard numbers.count > 1, let pages = Int(String(decoding: numbers[1], as: UTF8.self))
        else { return nil }
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }
}
