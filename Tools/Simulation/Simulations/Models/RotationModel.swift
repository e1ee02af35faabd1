/// Explores every history of the rotation of refresh tokens in a small scope: clients that share a
/// session, lost, late and repeated messages, a sign-out, and the end of the grace period.
///
/// The operations are the real ones (`RotationServer`). Any other operation can run between the
/// read and the write of an operation. The store cannot distinguish more interleavings, because
/// each operation makes one conditional write.
package final class RotationModel {
    package struct Scope: Sendable {
        /// The number of clients. A late message is modelled by a client with an old token.
        package var clients = 3
        /// How often each client can refresh.
        package var generations = 3
        /// How often the grace period passes.
        package var pauses = 1

        package init() {}
    }

    package struct Report: Sendable {
        /// The number of states of clients, messages and rows together.
        package fileprivate(set) var states = 0
        /// The number of different states of the rows.
        package fileprivate(set) var serverStates = 0
        package fileprivate(set) var transitions = 0
        /// The first broken rule, with the history that leads to it.
        package fileprivate(set) var finding: String?

        package var line: String {
            "\(states) states (\(serverStates) of the store), \(transitions) transitions"
        }
    }

    /// A planted bug.
    package enum Flaw: Sendable {
        /// The conditions of writes are not checked.
        case unconditional
        /// The grace period does not end.
        case endlessGrace
    }

    /// A client's state. It is encoded in one byte, so that comparing states is fast.
    fileprivate struct Client {
        var generation: Int
        /// The generation of the token in the client's request under way.
        var sent: Int?
        /// Whether the client was told that the session has ended.
        var isSignedOut = false

        init(generation: Int) { self.generation = generation }

        init(code: Int) {
            generation = code & 7
            sent = code >> 3 & 7 == 0 ? nil : (code >> 3 & 7) - 1
            isSignedOut = code & 64 != 0
        }

        var code: Int {
            generation | (sent.map { $0 + 1 } ?? 0) << 3 | (isSignedOut ? 64 : 0)
        }
    }

    private struct State {
        let server: Int
        let clients: [Client]

        /// Clients are interchangeable, so the order of their codes does not matter.
        var key: Int {
            clients.map(\.code).sorted().reduce(server) { $0 << 7 | $1 }
        }
    }

    private let scope: Scope
    private let server: RotationServer
    private var report = Report()
    private var open: [State] = []
    private var origins: [Int: (from: Int, step: String)] = [:]

    package init(_ scope: Scope = Scope(), flaw: Flaw? = nil) throws {
        self.scope = scope
        server = try RotationServer(flaw)
    }

    package func explore() -> Report {
        reach(
            State(
                server: 0,
                clients: Array(repeating: Client(generation: 0), count: scope.clients)),
            from: nil, "begin")
        while let state = open.popLast(), report.finding == nil {
            report.states += 1
            explore(state)
        }
        report.serverStates = server.stateCount
        return report
    }

    private func explore(_ state: State) {
        for (index, client) in state.clients.enumerated()
        where client.sent == nil && !client.isSignedOut && client.generation < scope.generations {
            var clients = state.clients
            clients[index].sent = client.generation
            reach(State(server: state.server, clients: clients), from: state, "sent")
        }
        if server.pauses(state.server) < scope.pauses {
            reach(
                State(server: server.paused(state.server), clients: state.clients), from: state,
                "the grace period passes")
        }
        var senders = state.clients.indices.filter { state.clients[$0].sent != nil }
        // The user can sign out on one of the devices.
        if !server.isOver(state.server) { senders.append(Self.user) }
        for first in senders {
            serve([first], state)
            for second in senders where second != first {
                serve([first, second], state)
                for third in senders where third != first && third != second {
                    serve([first, second, third], state)
                }
            }
        }
    }

    /// Stands for the user, who signs out, in a list of clients.
    private static let user = -1

    /// - Parameter senders: the clients whose requests run. Each request after the first arrives
    ///   just before the write of the previous one.
    private func serve(_ senders: [Int], _ state: State) {
        let requests = senders.map { sender in
            sender == Self.user
                ? RotationServer.Request.signOut
                : .refresh(generation: state.clients[sender].sent ?? 0)
        }
        let result = server.serve(requests, in: state.server)
        if let finding = server.finding {
            let history = history(of: state.key) + ["\(requests)"]
            report.finding = ([finding + ":"] + history).joined(separator: "\n  ")
            return
        }
        answer(senders[...], result.outcomes[...], result.state, state.clients, state, requests)
    }

    /// Explores every outcome: each response arrives or is lost, and each request may arrive a
    /// second time.
    private func answer(
        _ senders: ArraySlice<Int>, _ outcomes: ArraySlice<RotationServer.Outcome>, _ next: Int,
        _ clients: [Client], _ state: State, _ requests: [RotationServer.Request]
    ) {
        guard let sender = senders.first, let outcome = outcomes.first else {
            return reach(State(server: next, clients: clients), from: state, "\(requests)")
        }
        func goOn(_ clients: [Client]) {
            answer(senders.dropFirst(), outcomes.dropFirst(), next, clients, state, requests)
        }
        guard sender != Self.user else { return goOn(clients) }
        let sent = clients[sender].sent
        for isLost in [false, true] {
            for isRepeated in [false, true] {
                var clients = clients
                if !isRepeated { clients[sender].sent = nil }
                if !isLost { clients[sender].receive(outcome, of: sent ?? 0) }
                goOn(clients)
            }
        }
    }

    private func reach(
        _ state: State, from: State?, _ step: @autoclosure () -> String
    ) {
        report.transitions += 1
        let key = state.key
        guard origins[key] == nil else { return }
        origins[key] = (from?.key ?? -1, step())
        open.append(state)
    }

    private func history(of key: Int) -> [String] {
        var (lines, next) = ([String](), key)
        while let (from, step) = origins[next] {
            lines.append(step)
            next = from
        }
        return lines.reversed()
    }
}

extension RotationModel.Client {
    fileprivate mutating func receive(_ outcome: RotationServer.Outcome, of sent: Int) {
        switch outcome {
        case .renewed: generation = max(generation, sent + 1)
        case .refused: if generation == sent { isSignedOut = true }
        case .failed, .signedOut: break
        }
    }
}
