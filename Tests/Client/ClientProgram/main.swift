import Foundation
import LatchkeyClient

// A client as a process of its own, for tests that kill it. It reads commands from its standard
// input, a line each, and runs each in a task; its answers are lines that begin with the command.
//
// usage: client-program URL FOLDER

let arguments = CommandLine.arguments
guard arguments.count == 3, let url = URL(string: arguments[1]) else {
    FileHandle.standardError.write(Data("usage: client-program URL FOLDER\n".utf8))
    exit(64)
}
let session = SessionCommands(url: url, folder: URL(filePath: arguments[2]))
while let line = readLine() {
    let words = line.split(separator: " ").map(String.init)
    switch (words.first, words.count) {
    case ("stop", 2):
        guard let step = Step(rawValue: words[1]) else { exit(65) }
        Stops.shared.arm(step)
        Output.write("stop \(step.rawValue)")
    case ("go", 1): Stops.shared.release()
    case (let command?, _):
        // Owned by this process, which ends with its input.
        Task.detached { Output.write(await session.answer(command, Array(words.dropFirst()))) }
    case (nil, _): exit(65)
    }
}
