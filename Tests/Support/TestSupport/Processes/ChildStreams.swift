internal import Glibc
internal import Synchronization

package struct SpawnFailure: Error {
    package let call: String
    package let code: Int32
}

/// The standard streams of a child: the test's ends and the child's.
final class ChildStreams: Sendable {
    let output: CapturedStream?
    let errorOutput: CapturedStream?
    /// The test's end of a `.stream` input.
    private let input: Int32?
    /// The child's descriptors 0, 1 and 2; nil for closed ones.
    private let child: [Int32?]
    private let inputFile: UnlinkedFile?

    init(_ command: Command) throws(SpawnFailure) {
        let stdin: Int32?
        switch command.input {
        case .bytes(let bytes):
            let file = try UnlinkedFile(holding: bytes)
            (inputFile, input, stdin) = (file, nil, file.descriptor)
        case .stream:
            let (ours, theirs) = try Self.connection()
            (inputFile, input, stdin) = (nil, ours, theirs)
        case .closed:
            (inputFile, input, stdin) = (nil, nil, nil)
        }
        let stdout = try Self.open(command.output)
        let stderr = try Self.open(command.errorOutput)
        output = stdout.kept
        errorOutput = stderr.kept
        child = [stdin, stdout.descriptor, stderr.descriptor]
    }

    deinit {
        if let input { close(input) }
        inputFile?.close()
        for case let kept? in [output, errorOutput] { kept.close() }
    }

    func send(_ bytes: [UInt8]) -> Bool {
        input.map { LoopbackSocket.write(bytes, to: $0) } ?? false
    }

    /// Ends the child's input, even if another process has a copy of the descriptor.
    func endInput() {
        if let input { shutdown(input, Int32(SHUT_WR)) }
    }

    /// The number of bytes sent and not yet read.
    var unreadInputBytes: Int32 {
        guard let input else { return 0 }
        var count: Int32 = 0
        return ioctl(input, UInt(TIOCOUTQ), &count) == 0 ? count : -1
    }

    /// Starts the program and closes the child's ends here, except files.
    func spawn(_ command: Command) throws(SpawnFailure) -> pid_t {
        defer {
            let files = [inputFile, output?.file, errorOutput?.file].map { $0?.descriptor }
            for case let descriptor? in child where !files.contains(descriptor) {
                close(descriptor)
            }
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, descriptor) in child.enumerated() {
            if let descriptor {
                posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
            } else {
                posix_spawn_file_actions_addclose(&actions, Int32(number))
            }
        }
        // Closes all other descriptors of the test process, whose libraries do not set
        // close-on-exec.
        for number in Int32(child.count)..<min(getdtablesize(), Self.descriptorsMax) {
            posix_spawn_file_actions_addclose(&actions, number)
        }
        // Resets the signal mask and ignored signals of the test process.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        var pid: pid_t = 0
        let variables = command.environment.map { "\($0.name)=\($0.value)" }
        let code = Self.withCStrings([command.path] + command.arguments) { arguments in
            Self.withCStrings(variables) { environment in
                posix_spawn(&pid, command.path, &actions, &attributes, arguments, environment)
            }
        }
        guard code == 0 else { throw SpawnFailure(call: "posix_spawn \(command.path)", code: code) }
        return pid
    }

    /// Above all descriptors of the tests.
    private static let descriptorsMax: Int32 = 1024

    private static func withCStrings<Result>(
        _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let pointers = texts.map { strdup($0) }
        defer { for pointer in pointers { free(pointer) } }
        return body(pointers + [nil])
    }

    private static func open(
        _ output: Command.Output
    ) throws(SpawnFailure) -> (kept: CapturedStream?, descriptor: Int32?) {
        switch output {
        case .kept:
            let file = try UnlinkedFile(holding: [])
            return (.file(file), file.descriptor)
        case .keptInMemory:
            let (ours, theirs) = try connection()
            return (.connection(ours), theirs)
        case .path(let path):
            let descriptor = Glibc.open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
            guard descriptor >= 0 else { throw SpawnFailure(call: "open \(path)", code: errno) }
            return (nil, descriptor)
        case .hungUp:
            let (ours, theirs) = try connection()
            close(ours)
            return (nil, theirs)
        case .closed:
            return (nil, nil)
        }
    }

    /// A socket pair, close-on-exec from the start: a pipe could be inherited by a process started
    /// between creating and marking it.
    private static func connection() throws(SpawnFailure) -> (ours: Int32, theirs: Int32) {
        var ends: [Int32] = [0, 0]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else {
            throw SpawnFailure(call: "socketpair", code: errno)
        }
        return (ends[0], ends[1])
    }
}

/// The storage of an output until the process has ended.
enum CapturedStream: Sendable {
    case file(UnlinkedFile)
    case connection(Int32)

    var file: UnlinkedFile? {
        if case .file(let file) = self { file } else { nil }
    }

    var bytes: [UInt8] {
        switch self {
        case .file(let file): return file.bytes
        case .connection(let descriptor):
            var bytes: [UInt8] = []
            var piece = [UInt8](repeating: 0, count: 64 << 10)
            while true {
                let count = recv(descriptor, &piece, piece.count, Int32(MSG_DONTWAIT))
                guard count > 0 else { return bytes }
                bytes += piece[..<count]
            }
        }
    }

    /// Without consuming them.
    var bytesSoFar: [UInt8] {
        switch self {
        case .file(let file): return file.bytes
        case .connection(let descriptor):
            let flags = Int32(MSG_DONTWAIT) | Int32(MSG_PEEK)
            return [UInt8](unsafeUninitializedCapacity: 256 << 10) { buffer, count in
                count = max(0, recv(descriptor, buffer.baseAddress, buffer.count, flags))
            }
        }
    }

    func close() {
        switch self {
        case .file(let file): file.close()
        case .connection(let descriptor): Glibc.close(descriptor)
        }
    }
}

/// A file that is unlinked before anything is written.
struct UnlinkedFile: Sendable {
    private static let count = Atomic(0)

    let descriptor: Int32

    init(holding bytes: [UInt8]) throws(SpawnFailure) {
        let number = Self.count.wrappingAdd(1, ordering: .relaxed).newValue
        let path = "/tmp/latchkey-stream-\(getpid())-\(number)"
        descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SpawnFailure(call: "open \(path)", code: errno) }
        unlink(path)
        guard bytes.isEmpty || pwrite(descriptor, bytes, bytes.count, 0) == bytes.count else {
            let code = errno
            close()
            throw SpawnFailure(call: "pwrite", code: code)
        }
    }

    /// Its contents, independent of the position of readers and writers.
    var bytes: [UInt8] {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: Int(status.st_size)) { buffer, count in
            count = max(0, pread(descriptor, buffer.baseAddress, buffer.count, 0))
        }
    }

    func close() { Glibc.close(descriptor) }
}
