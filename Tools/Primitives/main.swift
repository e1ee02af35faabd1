import FunctionRuntime
import Glibc

// Measures one primitive of the functions, for `make bench` (Benchmarks/primitives.py):
//
//     primitives NAME SECONDS [FILE]
//
// Prints how many times a second it can be done, by the processor time of this process. FILE is the
// document or the body of those that take one.

private func refuse(_ problem: String) -> Never {
    _ = Descriptor.writeAll(Array("\(problem)\n".utf8), to: 2)
    exit(64)
}

private func processorSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

let arguments = CommandLine.arguments
guard arguments.count >= 3, let seconds = Double(arguments[2]),
    let primitive = Primitive(rawValue: arguments[1])
else {
    let names = Primitive.allCases.map(\.rawValue).joined(separator: " ")
    refuse("usage: primitives NAME SECONDS [FILE]\nnames: \(names)")
}
do {
    let once = try primitive.prepared(arguments.count > 3 ? arguments[3] : nil)
    try once()
    let began = processorSeconds()
    var count = 0
    var took = 0.0
    while took < seconds {
        try once()
        count += 1
        took = processorSeconds() - began
    }
    print(Double(count) / took)
} catch {
    refuse("\(primitive.rawValue): \(error)")
}
