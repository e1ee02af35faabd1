internal import EmulatorBase
internal import EmulatorGateway
internal import EmulatorLambda

/// How the processes of a function are started: with its executable, or with the interpreter of its
/// language.
struct FunctionStart {
    let command: [String]
    /// The directory of its code.
    let directory: String
    /// The paths where its executable was expected; empty if it was found.
    var missing: [String] = []
    /// The language of its handler; such a function uses the Runtime API.
    var language: LanguageRuntime?
    /// The reason why the function cannot be started.
    var problem: String?

    /// - Parameter executables: a directory to search before the folder of the function's code.
    init(
        _ function: FunctionResource, _ interpreters: Interpreters,
        executables: String?
    ) {
        let candidates = function.candidates(in: executables)
        let language = LanguageRuntime(function.runtime)
        let executable =
            function.isInterpretedInline ? nil : candidates.first { Files.isExecutable($0) }
        if let executable {
            command = [Files.absolute(executable)]
            directory = Self.folder(of: command[0])
            return
        }
        guard let language else {
            command = [Files.absolute(candidates.first ?? function.codePath)]
            directory = Self.folder(of: command[0])
            missing = candidates
            // The warnings of the template already say that container images are not run.
            if !function.isImage {
                let found = candidates.first { Files.isRegular($0) }
                problem =
                    found.map { "not executable: \(Self.shown($0)); make it so with chmod +x" }
                    ?? "executable not found: \(Self.sought(function, in: executables))"
                    + Self.remedy(function)
            }
            return
        }
        let found = interpreters.path(of: language)
        command = language.command(
            interpreter: found ?? language.interpreter, inlineCode: function.inlineCode,
            memoryMegabytes: function.memoryMB)
        directory = Files.absolute(function.codePath)
        self.language = language
        if found == nil {
            missing = [language.interpreter]
            problem = "\(function.runtime) needs \(language.interpreter), which is not on the PATH"
        } else if !Files.isDirectory(directory) {
            missing = [directory]
            problem = "the folder of its code does not exist: \(directory)"
        } else {
            problem = HandlerCheck.problem(function, language)
        }
    }

    /// The two places where an executable is usually built, relative to the working directory.
    private static func sought(
        _ function: FunctionResource, in executables: String?
    ) -> String {
        let own = executables == nil ? nil : function.candidates(in: executables).first
        return [own, function.executableCandidates.first].compactMap(\.self)
            .map { Self.shown($0) }.joined(separator: " or ")
    }

    /// The path relative to the working directory, if the file is in it.
    private static func shown(_ path: String) -> String {
        plain(path).dropping(prefix: Files.absolute(".") + "/")
    }

    /// The command that builds a function or an example of this repository.
    private static func remedy(_ function: FunctionResource) -> String {
        let parts = function.codePath.split(separator: "/")
        guard let name = parts.last, function.codePath.contains("/.build/lambda/") else {
            return ""
        }
        return name.hasPrefix("example-")
            ? "; scripts/build \(name) builds it" : "; make build builds it"
    }

    /// Removes `..` and empty parts.
    private static func plain(_ path: String) -> String {
        var parts: [Substring] = []
        for part in path.split(separator: "/") where part != "." {
            if part == "..", let last = parts.last, last != ".." {
                parts.removeLast()
            } else {
                parts.append(part)
            }
        }
        return (path.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
    }

    private static func folder(of path: String) -> String {
        "/" + path.split(separator: "/").dropLast().joined(separator: "/")
    }
}

extension FunctionResource {
    /// The possible paths of its executable. For code in `…/signin/` they are, in a directory of
    /// executables, `signin` and, as in a package, `signin/bootstrap`.
    func candidates(in directory: String?) -> [String] {
        guard let directory, let name = codePath.split(separator: "/").last else {
            return executableCandidates
        }
        return ["\(directory)/\(name)", "\(directory)/\(name)/bootstrap"] + executableCandidates
    }

    /// Whether its code is in the template, in a language that the emulator runs.
    var isInterpretedInline: Bool { LanguageRuntime(runtime) != nil && inlineCode != nil }
}
