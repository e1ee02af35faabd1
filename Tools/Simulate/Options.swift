import Simulations

/// The command line.
struct Options {
    enum Task { case runs, mutations, rotation, report(commit: String) }

    var task = Task.runs
    var seed: UInt64?
    var stepsMax: Int?
    var minutes: Int?
    var contract = "latchkey"
    var store = StoreKind.memory
    var jobs = 1
    var mutation: Mutation?
    var historyPath: String?
    /// Overrides the features that the seeds draw.
    var features: Set<Feature>?
    var wantsHelp = false

    static let help = """
        usage: simulate [OPTION…]

        Runs the client and the functions as one system, in one thread, from a seed, with faults, \
        and
        checks what must always hold. A broken invariant is printed with the shortest history that
        breaks it; then the exit status is 1.

          --seed N          run this seed and print its history; with --steps or --minutes, begin \
          there
          --steps N         run seeds until N steps are done (1000000)
          --minutes N       run seeds for N minutes
          --contract NAME   the contract of functions and clients (latchkey)
          --store NAME      the store of the functions: memory, or dynamodb, with its protocol
          --jobs N          use N threads; the output is the same (1)
          --history FILE    write what happened to sessions, as lines of JSON, for
                            scripts/judge-history
          --features NAMES  the features of every run, with commas, instead of the seed's
          --mutation NAME   plant this bug
          --mutations       plant each bug, or that of --mutation, and print how long it takes to \
          find it
          --rotation        explore all histories of refresh tokens, of 3 clients and 3 generations
          --report COMMIT   print docs/simulation.md: runs, and all mutations
          --help            show this help

        """

    struct Problem: Error {
        let text: String
    }

    init(_ arguments: [String]) throws(Problem) {
        var rest = arguments[...]
        while let name = rest.popFirst() {
            switch name {
            case "--help": wantsHelp = true
            case "--history": historyPath = try Self.text(name, rest.popFirst())
            case "--mutations": task = .mutations
            case "--rotation": task = .rotation
            case "--seed": seed = try Self.number(name, rest.popFirst())
            case "--steps": stepsMax = Int(try Self.number(name, rest.popFirst()))
            case "--minutes": minutes = Int(try Self.number(name, rest.popFirst()))
            case "--report": task = .report(commit: try Self.text(name, rest.popFirst()))
            case "--features":
                features = try Self.features(try Self.text(name, rest.popFirst()))
            case "--jobs": jobs = Int(try Self.number(name, rest.popFirst(), max: 64))
            case "--store":
                guard let kind = StoreKind(rawValue: try Self.text(name, rest.popFirst())) else {
                    throw Problem(text: "--store must be memory or dynamodb")
                }
                store = kind
            case "--contract":
                contract = try Self.text(name, rest.popFirst())
                guard Runner.contracts.contains(contract) else {
                    throw Problem(
                        text: "--contract must be one with sessions: "
                            + Runner.contracts.joined(separator: ", "))
                }
            case "--mutation":
                let wanted = try Self.text(name, rest.popFirst())
                guard let found = Mutation.named(wanted) else {
                    throw Problem(
                        text: "no mutation '\(wanted)'; there are: "
                            + Mutation.all.map(\.name).joined(separator: ", "))
                }
                mutation = found
            default: throw Problem(text: "unexpected argument '\(name)'")
            }
        }
    }

    private static func features(_ text: String) throws(Problem) -> Set<Feature> {
        let names = text.split(separator: ",").map(String.init)
        let features = names.compactMap(Feature.init(rawValue:))
        guard features.count == names.count else {
            throw Problem(
                text: "--features are: "
                    + Feature.allCases.map(\.rawValue).joined(separator: ","))
        }
        return Set(features)
    }

    private static func text(_ name: String, _ value: String?) throws(Problem) -> String {
        guard let value else { throw Problem(text: "\(name) needs a value") }
        return value
    }

    private static func number(
        _ name: String, _ value: String?, max: UInt64 = 1 << 53
    ) throws(Problem) -> UInt64 {
        guard let number = UInt64(try text(name, value)), number <= max else {
            throw Problem(text: "\(name) needs a number")
        }
        return number
    }
}
