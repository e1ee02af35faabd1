internal import Bytes
internal import FunctionRuntime
internal import Glibc

/// A file of settings, `NAME=VALUE` in lines (`--env-file`, systemd's `EnvironmentFile`), whose
/// comments and order are preserved.
struct SettingsFile {
    let path: String
    /// Whether the file exists.
    let isPresent: Bool
    private var lines: [String]

    init(_ path: String) throws(CommandFailure) {
        self.path = path
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            guard errno == ENOENT else { throw Self.failure(path) }
            isPresent = false
            lines = [
                "# Settings of latchkey, a line of NAME=VALUE each. docs/configuration.md has all."
            ]
            return
        }
        defer { close(descriptor) }
        isPresent = true
        guard let bytes = try? Descriptor.readAll(descriptor, bytesMax: EnvironmentLines.bytesMax)
        else { throw CommandFailure("\(path) cannot be read, or is too large for settings") }
        do throws(EnvironmentLines.Problem) {
            let parsed = try EnvironmentLines(bytes)
            if let section = parsed.sections.first {
                throw EnvironmentLines.Problem.notAVariable(line: section.line)
            }
        } catch {
            throw CommandFailure(error.explanation(path))
        }
        lines = String(decoding: EnvironmentLines.withoutMark(bytes), as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last == "" { lines.removeLast() }
    }

    private static func failure(_ path: String) -> CommandFailure {
        CommandFailure("\(path): \(String(cString: strerror(errno)))")
    }

    private var bytes: [UInt8] { Array((lines.joined(separator: "\n") + "\n").utf8) }

    /// If a name occurs twice, the last value counts, as it does for the server.
    var values: [(name: String, value: String)] {
        let variables = (try? EnvironmentLines(bytes))?.variables ?? []
        return variables.reversed().map { ($0.name, $0.value) }
    }

    func value(_ name: String) -> String? {
        values.first { $0.name == name }?.value.nonEmpty
    }

    /// The values of a setting that can have several.
    func list(_ name: String) -> [String] {
        (value(name) ?? "").split { $0 == "," || $0 == " " }.map(String.init)
    }

    /// Sets a value, or removes it.
    ///
    /// - Parameters:
    ///   - group: the names of the settings next to which a new line is inserted.
    ///   - comment: the line above a new group.
    mutating func set(
        _ name: String, _ value: String?, among group: [String] = [], under comment: String = ""
    ) throws(CommandFailure) {
        let line = try value.map { value throws(CommandFailure) in
            "\(name)=\(try Self.quoted(value, name))"
        }
        let places = lines.indices.filter { Self.name(in: lines[$0]) == name }
        if let last = places.last {
            if let line { lines[last] = line }
            let removed = line == nil ? places : places.dropLast()
            for place in removed.reversed() { lines.remove(at: place) }
            if line == nil, let first = removed.first { removeHeading(comment, above: first) }
            return
        }
        guard let line else { return }
        if let example = lines.firstIndex(where: { Self.example(in: $0) == name }) {
            lines[example] = line
        } else if let neighbour = lines.lastIndex(where: { line in
            group.contains { $0 == Self.name(in: line) || $0 == Self.example(in: line) }
        }) {
            lines.insert(line, at: neighbour + 1)
        } else {
            lines +=
                (lines.isEmpty ? [] : [""]) + (comment.isEmpty ? [] : ["# \(comment)"]) + [line]
        }
    }

    /// Removes a heading that `set` has written, if no setting remains below it.
    private mutating func removeHeading(_ comment: String, above place: Int) {
        guard place > 0, lines[place - 1] == "# \(comment)",
            place == lines.count || lines[place].isEmpty
        else { return }
        lines.remove(at: place - 1)
        if place > 1, lines[place - 2].isEmpty { lines.remove(at: place - 2) }
    }

    func write() throws(CommandFailure) {
        var status = stat()
        let wasPresent = stat(path, &status) == 0
        try PrivateFile.write(bytes, to: path, replacing: true)
        guard wasPresent else { return giveToOwnerOfFolder(path) }
        // The former file may belong to the user of a service.
        if geteuid() == 0 { lchown(path, status.st_uid, status.st_gid) }
    }

    private static func name(in line: String) -> String? {
        let bytes = Array(line.utf8)
        return (try? EnvironmentLines(bytes))?.variables.first?.name
    }

    /// The name in a line such as `#ISSUER=https://…`.
    private static func example(in line: String) -> String? {
        guard line.hasPrefix("#"), line.dropFirst().first.map({ $0 != " " }) == true else {
            return nil
        }
        return name(in: String(line.dropFirst()))
    }

    /// `--env-file` and systemd read this form in the same way, and Docker does if there are no
    /// quotes.
    private static func quoted(_ value: String, _ name: String) throws(CommandFailure) -> String {
        guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw CommandFailure(
                "\(name) has a line break or a control character: put it into a file, and set "
                    + "\(name)=file:PATH")
        }
        let isPlain = value.utf8.allSatisfy { byte in
            byte.isLetterOrDigit || byte >= 0x80 || "-_.,:;/@%+=?&~^*<>[]{}()| ".utf8.contains(byte)
        }
        if isPlain, value.first != " ", value.last != " " { return value }
        if !value.utf8.contains(text: "'") { return "'\(value)'" }
        guard !value.utf8.contains(where: { "\"\\$`".utf8.contains($0) }) else {
            throw CommandFailure(
                "\(name) has quotes that no file of settings can hold: put it into a file, and set "
                    + "\(name)=file:PATH")
        }
        return "\"\(value)\""
    }
}

extension String {
    var nonEmpty: String? { isEmpty ? nil : self }
}
