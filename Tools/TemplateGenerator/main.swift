import Contracts
import Foundation

// Writes the SAM templates and OpenAPI documents of all contracts: `make templates`.
//
// Input: the contracts' endpoints, the functions' folders, and the parts written by hand
// (`Functions/Templates/Parts`).

private let usage = """
    usage: generate-templates [--check | --record FILE]

      --check         write nothing; exit with 1 if a file is out of date
      --record FILE   first add what functions did, from emulator replay --permissions FILE

    """

private func stop(_ message: String, status: Int32) -> Never {
    FileHandle.standardError.write(Data(message.utf8))
    exit(status)
}

let arguments = Array(CommandLine.arguments.dropFirst())
let checks = arguments == ["--check"]
let records = arguments.count == 2 && arguments[0] == "--record"
guard arguments.isEmpty || checks || records else { stop(usage, status: 64) }
do {
    let files = GeneratedFiles(root: ".")
    if records { try files.record(arguments[1]) }
    let stale = try files.update(writes: !checks)
    for file in stale {
        print(checks ? "\(file) is out of date: run make templates" : "wrote \(file)")
    }
    exit(checks && !stale.isEmpty ? 1 : 0)
} catch {
    stop("generate-templates: \(error)\n", status: 1)
}
