package import AuthDomain
internal import AuthRecords
internal import Bytes
package import Cryptography
internal import KeyValueStore

/// Encrypts the secrets of authenticator apps, each bound to its account.
package struct SecondFactorSealing: Sendable {
    let rows: RowSealing

    package init(_ master: MasterKey, random: RandomSource) throws(CryptoFailure) {
        rows = try RowSealing(
            "latchkey second factor", master, { $0.secondFactors }, random: random)
    }

    func seal(_ password: OneTimePassword, of user: UserID) throws(AuthError) -> [UInt8] {
        try rows.seal(password.secret, in: StoreLayout.secondFactor(of: user))
    }

    func open(_ factor: SecondFactor, of user: UserID) throws(AuthError) -> OneTimePassword {
        OneTimePassword(
            secret: try rows.open(factor.sealedSecret, in: StoreLayout.secondFactor(of: user)))
    }

    /// The same factor, with the secret encrypted by the current master key.
    func renewed(_ factor: SecondFactor, of user: UserID) throws(AuthError) -> SecondFactor {
        var factor = factor
        let row = StoreLayout.secondFactor(of: user)
        if let sealed = try rows.renewed(factor.sealedSecret, in: row) {
            factor.sealedSecret = sealed
        }
        return factor
    }
}
