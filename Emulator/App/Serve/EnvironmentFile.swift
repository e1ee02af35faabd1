internal import Bytes
internal import EmulatorBase
internal import EmulatorGateway

/// `--env-file`: lines of `NAME=VALUE` that override the template. `[Function]` begins a section
/// for one function; `#` begins a comment.
struct EnvironmentFile: Sendable {
    private var variables: [EnvironmentLines.Variable] = []
    private var sections: [(function: String, place: String)] = []
    /// The function of each section.
    private var owners: [(section: String, function: FunctionName)] = []

    init() {}

    init(path: String) throws {
        let bytes = try Files.read(path, bytesMax: EnvironmentLines.bytesMax)
        do throws(EnvironmentLines.Problem) {
            let lines = try EnvironmentLines(bytes)
            variables = lines.variables
            sections = lines.sections.map { ($0.name, "\(path):\($0.line)") }
        } catch {
            throw CommandFailure(error.explanation(path))
        }
    }

    /// Finds the function of each section. Rejects a section whose function is not in the
    /// templates, and a logical ID that several functions share: a secret must not reach the wrong
    /// one.
    mutating func assign(to template: Template) throws {
        owners = try sections.map { name, place in
            guard let function = template.function(called: name) else {
                let names = template.functions.map(\.name.text)
                let known = names.isEmpty ? "the template has none" : names.joined(separator: ", ")
                let count = template.functions.count { $0.logicalID.isSame(as: name) }
                throw CommandFailure(
                    "\(place): there \(count > 1 ? "are \(count) functions" : "is no function") "
                        + "\(name). Functions: \(known)")
            }
            return (name, function.name)
        }
    }

    /// Later entries replace earlier ones.
    func variables(of function: FunctionResource) -> [(name: String, value: String)] {
        let sections = owners.filter { $0.function == function.name }.map(\.section)
        return variables.filter { variable in
            guard let section = variable.section else { return true }
            return sections.contains { $0.isSame(as: section) }
        }
        .map { ($0.name, $0.value) }
    }
}
