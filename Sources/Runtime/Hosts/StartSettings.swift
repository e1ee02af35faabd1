internal import Bytes
internal import Glibc
internal import Synchronization

/// Settings that are not in the environment when a process starts: the settings of `--env-file`,
/// and the credentials that systemd passes. They become variables of the process before any is
/// read.
package enum StartSettings {
    private static let credentialsMax = 100

    /// The origin of a variable that was not in the environment.
    package enum Origin: Sendable { case file, credential }

    private static let origins = Mutex<[String: Origin]>([:])
    private static let standardFileWasRead = Mutex(false)
    private static let named = Mutex<[String]>([])

    /// nil for a variable of the environment.
    package static func origin(of name: String) -> Origin? { origins.withLock { $0[name] } }

    /// The names that files have added to the environment, sorted.
    package static var namesInFiles: [String] {
        origins.withLock { $0.filter { $0.value == .file }.keys.sorted() }
    }

    /// Whether `load` has read the file of this folder, although no argument names it.
    package static var hasReadStandardFile: Bool { standardFileWasRead.withLock { $0 } }

    /// The files of `--env-file`, as they were named.
    package static var namedFiles: [String] { named.withLock { $0 } }

    /// Returns the other arguments. Precedence: a variable that is set already, then a file, then a
    /// credential.
    ///
    /// - Parameter commands: the commands that read the file of this folder if no argument names
    ///   one.
    package static func load(
        _ arguments: [String], standardFileFor commands: [String] = []
    ) throws(StartFailure) -> [String] {
        let (files, rest) = try paths(in: arguments)
        for path in files { try load(file: path) }
        named.withLock { $0 = files }
        if files.isEmpty, readsStandardFile(rest, commands) {
            let isRead = try loadStandardFile()
            standardFileWasRead.withLock { $0 = isRead }
        }
        if let folder = getenv("CREDENTIALS_DIRECTORY") {
            load(credentials: String(cString: folder))
        } else if files.contains(packageFile) {
            // A command beside the package's service needs the service's secrets.
            for credential in ServiceCredentials.all
            where isVariable(credential.name) && credential.isReadable {
                set(credential.name, "file:\(credential.path)", from: .credential)
            }
        }
        return rest
    }

    private static func readsStandardFile(_ arguments: [String], _ commands: [String]) -> Bool {
        guard let first = arguments.first, commands.contains(where: first.isSame(as:)),
            !arguments.contains(where: { ["--help", "-h"].contains($0) }),
            !FunctionHelp.isWanted(by: arguments),
            !arguments.contains(where: { $0.hasPrefix("--url") })
        else { return false }
        return getenv("AWS_LAMBDA_RUNTIME_API") == nil
    }

    /// Returns whether the folder has the file. Its settings can name programs to start and send
    /// mail elsewhere, so a file that others can change is refused.
    private static func loadStandardFile() throws(StartFailure) -> Bool {
        let path = standardFile
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
        guard descriptor >= 0 else {
            if errno == ENOENT { return false }
            throw unsafe(
                errno == ELOOP ? "it is a symbolic link" : String(cString: strerror(errno)))
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw unsafe("it is not a file")
        }
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            throw unsafe("it belongs to another user (\(status.st_uid))")
        }
        guard status.st_mode & 0o022 == 0 else {
            throw unsafe("other users can write it: chmod go-w \(path)")
        }
        try load(path, from: descriptor)
        return true
    }

    private static func unsafe(_ problem: String) -> StartFailure {
        StartFailure(
            problems: [
                "\(standardFile) in this folder is not read: \(problem). "
                    + "Give another file with --env-file, or this one to read it anyway"
            ])
    }

    /// The file that `latchkey configure` writes, if it is in this folder and the process does not
    /// have its settings. Only some commands read it without `--env-file`.
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
    /// The file of the package's service.
    package static let packageFile = "/etc/latchkey/latchkey.env"

    /// The files for the same settings in a command: those of `--env-file`, or the package's, from
    /// which systemd has made the environment of a service. Only root can open that one's folder.
    package static var filesForCommands: [String] {
        let files = namedFiles
        guard files.isEmpty, !hasReadStandardFile,
            let service = getenv("SYSTEMD_EXEC_PID"), atoi(service) == getpid(),
            access(packageFile, F_OK) == 0 || errno == EACCES
        else { return files }
        return [packageFile]
    }

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
        try load(path, from: descriptor)
    }

    private static func load(_ path: String, from descriptor: Int32) throws(StartFailure) {
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
            throw StartFailure(problems: [error.explanation(path)])
        }
        for (name, value) in values { set(name, value, from: .file) }
    }

    /// systemd's `LoadCredential=MASTER_KEY:/etc/latchkey/master-key` is `MASTER_KEY=file:PATH`.
    /// Credentials with other names are not variables; operators can refer to them with `%d`.
    private static func load(credentials path: String) {
        for name in ServiceCredentials.names(in: path).filter(isVariable).prefix(credentialsMax) {
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
