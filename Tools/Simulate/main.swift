import Foundation
import Simulations

// Runs clients and functions together: see docs/simulation.md.

private func stop(_ message: String, status: Int32) -> Never {
    FileHandle.standardError.write(Data("simulate: \(message)\n".utf8))
    exit(status)
}

do {
    let options = try Options(Array(CommandLine.arguments.dropFirst()))
    if options.wantsHelp {
        print(Options.help, terminator: "")
        exit(0)
    }
    exit(try Session(options).run())
} catch let problem as Options.Problem {
    stop("\(problem.text)\n\n\(Options.help)", status: 64)
} catch {
    stop("\(error)", status: 1)
}
