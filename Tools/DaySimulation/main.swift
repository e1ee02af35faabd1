// Runs a day of users through the real operations and keys, and prints the load of the hottest
// partitions of the table, as docs/scaling.md reports it.
//
// usage: simulate-day [USERS [SEED]]

let numbers = CommandLine.arguments.dropFirst().map(Int.init)
guard numbers.count <= 2, numbers.allSatisfy({ ($0 ?? 0) > 0 }) else {
    fatalError("usage: simulate-day [USERS [SEED]]")
}
let users = numbers.first.flatMap { $0 } ?? 1000
let simulation = try Simulation(
    users: users, seed: UInt64(numbers.count > 1 ? numbers[1] ?? 1 : 1))
try simulation.run()
print(Report(simulation, users: users).text)
