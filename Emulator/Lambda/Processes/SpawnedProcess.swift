internal import CPosix
internal import Glibc

/// A started child and the parent's ends of its pipes.
struct SpawnedProcess {
    let pid: Int32
    let output: Int32
    let error: Int32?
    /// The write end of its input; nil once everything is written.
    var input: Int32?
    var inputLeft: ArraySlice<UInt8>
    /// The read end of its input, which holds the unread bytes; nil if it has no input.
    private var inputRead: Int32?

    /// Starts a process; returns the errno on failure.
    static func start(_ plan: ProcessConfiguration, userProcessesMax: UInt64) -> Result<
        SpawnedProcess, Errno
    > {
        var pipes = Pipes()
        defer { pipes.closeChildEnds() }
        do {
            try pipes.open(separateError: plan.error != nil)
            let pid = try spawn(plan, pipes, userProcessesMax: userProcessesMax)
            _ = latchkey_set_nonblocking(pipes.inputWrite)
            var child = SpawnedProcess(
                pid: pid, output: pipes.outputRead,
                error: plan.error == nil ? nil : pipes.errorRead, input: pipes.inputWrite,
                inputLeft: plan.input[...],
                inputRead: plan.input.isEmpty ? nil : pipes.takeInputRead())
            child.writeInput()
            return .success(child)
        } catch {
            pipes.closeParentEnds()
            return .failure(error)
        }
    }

    /// Writes what the pipe accepts; closes it at the end, or when the reading end is closed.
    mutating func writeInput() {
        guard let descriptor = input else { return }
        while !inputLeft.isEmpty {
            let count = inputLeft.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                inputLeft = inputLeft.dropFirst(count)
            } else if errno == EAGAIN {
                return
            } else if errno != EINTR {
                break
            }
        }
        close(descriptor)
        input = nil
        inputLeft = []
    }

    /// Whether the child read any of its input. Call this once, after its end.
    mutating func endInput(of plan: ProcessConfiguration) -> Bool {
        guard let descriptor = inputRead else { return true }
        inputRead = nil
        defer { close(descriptor) }
        return Int(latchkey_unread(descriptor)) + inputLeft.count < plan.input.count
    }

    private static func spawn(
        _ plan: ProcessConfiguration, _ pipes: Pipes, userProcessesMax: UInt64
    ) throws(Errno) -> Int32 {
        guard let path = plan.arguments.first else { throw Errno(code: ENOENT) }
        let arguments = CStrings(plan.arguments)
        let environment = CStrings(plan.environment.map { "\($0.name)=\($0.value)" })
        let result = path.withCString { path in
            withOptionalCString(plan.directory) { directory in
                var child = latchkey_child(
                    path: path, arguments: arguments.pointers,
                    environment: environment.pointers, directory: directory,
                    input: pipes.inputRead, output: pipes.outputWrite,
                    error: plan.error == nil ? pipes.outputWrite : pipes.errorWrite,
                    data_bytes_max: plan.limits.residentBytesMax.map {
                        $0 + ProcessLimits.dataBytesAboveResident
                    } ?? 0,
                    file_bytes_max: plan.limits.fileBytesMax,
                    open_files_max: plan.limits.openFilesMax,
                    user_processes_max: userProcessesMax, dies_with_parent: 1)
                return latchkey_spawn(&child)
            }
        }
        guard result > 0 else { throw Errno(code: -result) }
        return result
    }

    private static func withOptionalCString<Result>(
        _ text: String?, _ body: (UnsafePointer<CChar>?) -> Result
    ) -> Result {
        guard let text else { return body(nil) }
        return text.withCString { body($0) }
    }
}

struct Errno: Error, Equatable {
    let code: Int32

    /// Whether the failure is temporary: the executable is being written (ETXTBSY), or a resource
    /// is exhausted.
    var isPassing: Bool { [ETXTBSY, EAGAIN, ENOMEM, EMFILE, ENFILE].contains(code) }
}

/// The pipes of one child; -1 means closed.
private struct Pipes {
    var inputRead: Int32 = -1, inputWrite: Int32 = -1
    var outputRead: Int32 = -1, outputWrite: Int32 = -1
    var errorRead: Int32 = -1, errorWrite: Int32 = -1

    mutating func open(separateError: Bool) throws(Errno) {
        try check(latchkey_pipe(&inputRead, &inputWrite))
        try check(latchkey_pipe(&outputRead, &outputWrite))
        if separateError { try check(latchkey_pipe(&errorRead, &errorWrite)) }
    }

    mutating func takeInputRead() -> Int32 {
        defer { inputRead = -1 }
        return inputRead
    }

    private func check(_ result: Int32) throws(Errno) {
        guard result == 0 else { throw Errno(code: -result) }
    }

    mutating func closeChildEnds() {
        for descriptor in [inputRead, outputWrite, errorWrite] where descriptor >= 0 {
            close(descriptor)
        }
    }

    mutating func closeParentEnds() {
        for descriptor in [inputWrite, outputRead, errorRead] where descriptor >= 0 {
            close(descriptor)
        }
    }
}

/// A null-terminated array of C strings, as execve(2) takes it.
final class CStrings {
    let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    private let count: Int

    init(_ texts: [String]) {
        count = texts.count
        pointers = .allocate(capacity: count + 1)
        for (index, text) in texts.enumerated() { (pointers + index).initialize(to: strdup(text)) }
        (pointers + count).initialize(to: nil)
    }

    deinit {
        for index in 0..<count { free(pointers[index]) }
        pointers.deallocate()
    }
}
