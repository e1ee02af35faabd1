import CFuzzer
import FuzzTargets
import Glibc

// `fuzz TARGET [libFuzzer's arguments]`; `fuzz --list` prints `name inputBytesMax seeds` of each.

nonisolated(unsafe) var chosen: FuzzTarget?

func report(_ text: String) {
    let line = Array("fuzz: \(text)\n".utf8)
    write(STDERR_FILENO, line, line.count)
}

if CommandLine.arguments.dropFirst() == ["--list"] {
    for target in FuzzTarget.all { print(target.name, target.inputBytesMax, target.seeds.rawValue) }
    exit(0)
}
guard CommandLine.argc > 1, let target = FuzzTarget.named(CommandLine.arguments[1]) else {
    report("the first argument is the name of a target; see --list")
    exit(2)
}
chosen = target

// libFuzzer sees the arguments without the target's name.
var arguments = CommandLine.unsafeArgv.advanced(by: 1)
arguments[0] = CommandLine.unsafeArgv[0]
var count = CommandLine.argc - 1
var vector: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = arguments
exit(
    LLVMFuzzerRunDriver(&count, &vector) { data, size in
        let input = Array(UnsafeBufferPointer(start: data, count: size))
        do {
            try chosen?.run(input)
        } catch {
            report("broken property: \(error)")
            abort()
        }
        return 0
    })
