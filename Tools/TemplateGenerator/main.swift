import Foundation

// Writes the SAM templates of all contracts: `make templates`.
//
// Input: the contracts' endpoints, the functions' folders, and the parts written by hand
// (`Functions/Templates/Parts`). `--check` writes nothing, and exits with 1 if a file is out of date.

let arguments = CommandLine.arguments.dropFirst()
guard arguments.isEmpty || Array(arguments) == ["--check"] else {
    FileHandle.standardError.write(Data("usage: generate-templates [--check]\n".utf8))
    exit(64)
}
do {
    let stale = try GeneratedFiles(root: ".").update(writes: arguments.isEmpty)
    for file in stale {
        print(arguments.isEmpty ? "wrote \(file)" : "\(file) is out of date: run make templates")
    }
    exit(arguments.isEmpty || stale.isEmpty ? 0 : 1)
} catch {
    FileHandle.standardError.write(Data("generate-templates: \(error)\n".utf8))
    exit(1)
}
