import FunctionRuntime
import Glibc

// Measures one primitive of the functions, for `make bench` (Benchmarks/primitives.py):
//
//     primitives NAME SECONDS [FILE]
//
// Prints the number of operations per second, by the processor time of this process. FILE contains
// the input of the primitives that need a document or a body.

private func refuse(_ problem: String) -> Never {
    _ = Descriptor.writeAll(Array("\(problem)\n".utf8), to: 2)
    exit(64)
}

private func processorSeconds() -> Double {
    var usage = rusage()
    getrusage(Int32(RUSAGE_SELF.rawValue), &usage)
    return [usage.ru_utime, usage.ru_stime].reduce(0) {
        $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6
    }
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
