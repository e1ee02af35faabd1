internal import Bytes
internal import Glibc
internal import Synchronization
internal import Threads

/// Mutations of valid requests, for fuzzing any server.
///
/// Request number `n` of a seed is reproducible.
package struct RandomRequests: Sendable {
    private let kinds: [Kind]
    private let seed: UInt64
    private let host: UInt32
    private let port: UInt16
    private let prepare: @Sendable (inout WireRequest) -> Void

    /// `prepare` is called for each request after its body was mutated and before anything else is:
    /// sign it there, so that code behind the signature check is reached.
    package init(
        _ kinds: [Kind], seed: UInt64, host: UInt32 = 0x7F00_0001, port: UInt16,
        prepare: @escaping @Sendable (inout WireRequest) -> Void = { _ in }
    ) {
        self.kinds = kinds
        self.seed = seed
        self.host = host
        self.port = port
        self.prepare = prepare
    }

    /// The value of `LATCHKEY_RANDOM_REQUESTS`.
    package static func count(otherwise count: Int) -> Int {
        getenv("LATCHKEY_RANDOM_REQUESTS").flatMap { Int(String(cString: $0)) } ?? count
    }

    /// A request with an invalid response, or without a response and an end.
    package struct Problem: Sendable, CustomStringConvertible {
        package let number: Int
        package let reason: String
        package let request: [UInt8]
        package let answer: [UInt8]

        package var description: String {
            func shown(_ bytes: [UInt8]) -> String {
                String(String(decoding: bytes.prefix(2000), as: UTF8.self).debugDescription)
            }
            return "number \(number): \(reason)\nsent \(shown(request))\ngot \(shown(answer))"
        }
    }

    package struct Report: Sendable {
        package var statuses: [Int: Int] = [:]
        package var closedWithoutAnswer = 0
        package var problems: [Problem] = []

        package static let problemsMax = 20
    }

    package func run(count: Int, threads: Int = 32) -> Report {
        let report = Mutex(Report())
        let next = Atomic(0)
        let workers = (0..<threads).compactMap { _ in
            try? PosixThread {
                while true {
                    let number = next.add(1, ordering: .relaxed).oldValue
                    guard number < count else { return }
                    let (statuses, problem) = send(number: number)
                    report.withLock { report in
                        for status in statuses { report.statuses[status, default: 0] += 1 }
                        if statuses.isEmpty { report.closedWithoutAnswer += 1 }
                        if let problem, report.problems.count < Report.problemsMax {
                            report.problems.append(problem)
                        }
                    }
                }
            }
        }
        for worker in workers { worker.join() }
        return report.withLock { $0 }
    }

    /// Sends one request on a new connection and validates the response.
    package func send(number: Int) -> (statuses: [Int], problem: Problem?) {
        var choice = RandomChoice(seed: seed &+ UInt64(number) &* 0x0123_4567_89AB_CDEF)
        let request = bytes(&choice)
        let stays = !choice.isOne(in: 20)
        let exchange = RandomExchange(host: host, port: port)
        let (answer, end) = exchange.run(
            request, pieces: choice.isOne(in: 4) ? 1 + choice.index(5) : 1, stays: stays)
        let judgement = ResponseValidator(
            mayBeHead: request.contains(text: "HEAD "), end: end
        ).judge(answer)
        let problem = judgement.problem.map {
            Problem(number: number, reason: $0, request: request, answer: answer)
        }
        return (judgement.statuses, stays ? problem : nil)
    }

    private func bytes(_ choice: inout RandomChoice) -> [UInt8] {
        var all: [UInt8] = []
        for _ in 0..<(choice.isOne(in: 8) ? 2 + choice.index(3) : 1) {
            var request = choice.one(of: kinds).good(&choice)
            if !choice.isOne(in: 3) {
                RequestMutation.bend(&request.body, &choice, times: choice.index(4))
            }
            prepare(&request)
            if choice.isOne(in: 3) { RequestMutation.bend(&request, &choice) }
            let framing =
                choice.isOne(in: 4)
                ? choice.one(of: WireRequest.Framing.allCases)
                : choice.isOne(in: 3) ? .chunks : .length
            if choice.isOne(in: 15) { request.headers.append(("Expect", "100-continue")) }
            all += request.bytes(framing, &choice)
        }
        if choice.isOne(in: 3) { RequestMutation.bend(&all, &choice, times: 1 + choice.index(4)) }
        return all
    }
}
