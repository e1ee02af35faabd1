import AuthDomain
import AuthOperations
import AuthTestSupport
import Cryptography
import JOSE
import KeyValueStore
import Time

/// The measured cost of one operation in one scenario.
struct MeasuredCost: Sendable {
    let operation: String
    let situation: String
    let cost: StoreCost
    /// The maximum number of sequential round trips.
    let tripsMax: Int

    static func all() throws -> [MeasuredCost] {
        let measurement = try CostMeasurement()
        try measurement.measureSignIn()
        try measurement.measureRefresh()
        try measurement.measureSignOut()
        try measurement.measureBearer()
        try measurement.measureKeys()
        try measurement.measureVerification()
        // Before there is mail of others.
        try measurement.measureHousekeeping()
        try measurement.measureMasterKey()
        try measurement.measureAuditHeads()
        try measurement.measurePasswords()
        try measurement.measureAdministration()
        try measurement.measureDeletion()
        try measurement.measureSecondFactors()
        try measurement.measurePasskeys()
        try measurement.measureGuests()
        try measurement.measureMerges()
        try measurement.measureAddresses()
        try measurement.measureWebhooks()
        try measurement.measurePages()
        return measurement.rows
    }
}
