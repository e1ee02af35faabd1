internal import DynamoDBStore
package import FunctionRuntime
internal import HTTPClient
package import KeyValueStore
internal import PostgreSQL
internal import PostgreSQLStore
internal import SQLiteStore

extension Assembly {
    /// Builds only the store, for tools.
    package func store() throws(StartFailure) -> any KeyValueStore {
        let aws = AWSParts(self, requests(AssemblyReports()))
        return try open(try storeSettings(aws), aws)
    }

    /// `--migrate`: creates or upgrades the tables of stores that do not do so themselves. Returns
    /// a message for the operator.
    package func migrate() throws(StartFailure) -> String {
        switch try storeSettings(AWSParts(self, requests(AssemblyReports()))) {
        case .postgreSQL(let address, _):
            do throws(StoreFailure) {
                try postgreSQLStore(address, connectionsMax: 1).migrate()
            } catch {
                throw StartFailure(problems: ["STORE: \(error.explanation)"])
            }
            return "The table \(address.table) is ready."
        case .memory, .sqlite: return "This store needs no migration."
        case .dynamoDB: return "A table of DynamoDB is created by the template."
        }
    }

    private func storeSettings(_ aws: AWSParts) throws(StartFailure) -> StoreSettings {
        var reader = SettingsReader(environment, secrets: aws.secretSource)
        let settings = StoreSettings.read(&reader)
        if settings.isInAWS { aws.check(&reader) }
        guard reader.problems.isEmpty else { throw StartFailure(problems: reader.problems) }
        return settings
    }

    func open(
        _ settings: StoreSettings, _ aws: AWSParts
    ) throws(StartFailure) -> any KeyValueStore {
        switch settings {
        case .memory: return MemoryStore(clock: clock)
        case .sqlite(let path):
            do {
                return try SQLiteStore(path: path, clock: clock)
            } catch {
                throw StartFailure(problems: ["STORE: \(error.explanation)"])
            }
        case .dynamoDB(let table):
            guard let store = aws.dynamoDBStore(table: table) else {
                throw StartFailure(problems: ["AWS_REGION is required"])
            }
            return store
        case .postgreSQL(let address, let connectionsMax):
            return postgreSQLStore(address, connectionsMax: connectionsMax)
        }
    }

    /// Wraps the store to report failed calls to the operator, and to measure calls if metrics are
    /// on.
    func observed(
        _ store: any KeyValueStore, _ name: String, _ reports: AssemblyReports
    ) -> any KeyValueStore {
        let embeds = reports.embedsMetrics
        let measure: ObservedStore.Measure = { [metrics] call, nanoseconds, failure in
            if embeds {
                RequestScope.current.addStoreCall(microseconds: Int(nanoseconds / 1000))
            }
            metrics?.countCall(
                of: name, call, seconds: Double(nanoseconds) / 1e9, failure: failure)
        }
        return ObservedStore(
            store: store, report: reports.store, measure: metrics != nil || embeds ? measure : nil)
    }

    /// Connects at the first call.
    private func postgreSQLStore(
        _ address: PostgreSQLAddress, connectionsMax: Int
    ) -> PostgreSQLStore {
        let trust = CertificateTrust(variable: { [environment] in environment[$0] })
        return PostgreSQLStore(
            address, connectionsMax: connectionsMax, clock: clock, random: random,
            // libpq accepts only a file, so a directory of authorities is not used.
            authorities: { try? trust.certificates().file }, pause: sleep)
    }
}

extension StoreFailure {
    /// The message for the operator.
    var explanation: String {
        switch self {
        case .conditionFailed: "the store refused a condition"
        case .unavailable(let detail), .refused(let detail), .unreadable(let detail): detail
        }
    }
}
