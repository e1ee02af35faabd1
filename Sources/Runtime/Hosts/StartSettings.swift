internal import Bytes
internal import Glibc
internal import Synchronization

/// Settings that are not in the environment when a process starts: those of `--env-file`, and the
/// credentials that systemd passes. They become variables of the process before any is read.
package enum StartSettings {
    private static let credentialsMax = 100

    /// Where a variable is from that was not in the environment.
    package enum Origin: Sendable { case file, credential }

    private static let origins = Mutex<[String: Origin]>([:])

    /// nil for a variable of the environment.
    package static func origin(of name: String) -> Origin? { origins.withLock { $0[name] } }

    /// Returns the other arguments. Precedence: a variable that is set already, then a file, then a
    /// credential.
    package static func load(_ arguments: [String]) throws(StartFailure) -> [String] {
        let (files, rest) = try paths(in: arguments)
        for path in files { try load(file: path) }
        if let folder = getenv("CREDENTIALS_DIRECTORY") {
            load(credentials: String(cString: folder))
        }
        return rest
    }

    /// The file that `latchkey configure` writes, if it is in this folder and the process does not
    /// have its settings. It is not read by itself: a folder may be another user's.
    package static func unusedFile(_ environment: Environment) -> String? {
        let descriptor = open(standardFile, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard let bytes = try? Descriptor.readAll(descriptor, bytesMax: EnvironmentLines.bytesMax),
            let variables = try? EnvironmentLines(bytes).variables
        else { return nil }
        let isUsed = variables.allSatisfy { $0.value.isEmpty || environment[$0.name] != nil }
        return isUsed ? nil : standardFile
    }

    package static let standardFile = "latchkey.env"

    private static func paths(
        in arguments: [String]
    ) throws(StartFailure) -> (files: [String], rest: [String]) {
        let option = "--env-file"
        var files: [String] = []
        var rest: [String] = []
        var left = arguments[...]
        while let argument = left.popFirst() {
            if argument.utf8.elementsEqual(option.utf8) {
                guard let path = left.popFirst() else {
                    throw StartFailure(problems: ["\(option) needs the name of a file"])
                }
                files.append(path)
            } else if argument.hasPrefix(option + "=") {
                files.append(String(argument.dropFirst(option.utf8.count + 1)))
            } else if argument.utf8.elementsEqual("--event".utf8) {
                // The next argument is an event, even if it looks like an option.
                rest.append(argument)
                if let event = left.popFirst() { rest.append(event) }
            } else {
                rest.append(argument)
            }
        }
        return (files, rest)
    }

    private static func load(file path: String) throws(StartFailure) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw StartFailure(problems: ["\(path): \(String(cString: strerror(errno)))"])
        }
        defer { close(descriptor) }
        let bytes: [UInt8]
        do {
            bytes = try Descriptor.readAll(descriptor, bytesMax: EnvironmentLines.bytesMax)
        } catch {
            switch error {
            case .tooLarge:
                throw StartFailure(
                    problems: ["\(path) is larger than \(EnvironmentLines.bytesMax) bytes"])
            case .failed(let code):
                throw StartFailure(problems: ["\(path): \(String(cString: strerror(code)))"])
            }
        }
        var values: [String: String] = [:]
        do throws(EnvironmentLines.Problem) {
            let lines = try EnvironmentLines(bytes)
            if let section = lines.sections.first {
                throw EnvironmentLines.Problem.notAVariable(line: section.line)
            }
            for variable in lines.variables { values[variable.name] = variable.value }
        } catch {
            switch error {
            case .notUTF8: throw StartFailure(problems: ["\(path) is not UTF-8"])
            case .notAVariable(let line):
                throw StartFailure(problems: ["\(path):\(line): expected NAME=VALUE"])
            }
        }
        for (name, value) in values { set(name, value, from: .file) }
    }

    /// systemd's `LoadCredential=MASTER_KEY:/etc/latchkey/master-key` is `MASTER_KEY=file:PATH`.
    /// Credentials with other names are not variables; operators can refer to them with `%d`.
    private static func load(credentials path: String) {
        guard let folder = opendir(path) else { return }
        defer { closedir(folder) }
        var count = 0
        while let entry = readdir(folder), count < credentialsMax {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                String(cString: UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self))
            }
            guard isVariable(name) else { continue }
            count += 1
            set(name, "file:\(path)/\(name)", from: .credential)
        }
    }

    /// An empty variable counts as absent.
    private static func set(_ name: String, _ value: String, from origin: Origin) {
        guard Environment.current()[name] == nil else { return }
        setenv(name, value, 1)
        origins.withLock { $0[name] = origin }
    }

    private static func isVariable(_ name: String) -> Bool {
        name.utf8.first.map(\.isUppercase) ?? false
            && name.utf8.allSatisfy {
                $0.isUppercase || $0.isDigit || $0 == 0x5F
            }
    }
}
