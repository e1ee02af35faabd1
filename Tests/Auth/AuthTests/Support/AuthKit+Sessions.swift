// Operations on the session of a client that keeps no tokens apart.
extension AuthKit {
    @discardableResult
    func refresh(_ tokens: SessionTokens) throws(AuthError) -> SessionTokens {
        try auth.refresh(tokens.refresh.reveal(), Caller())
    }

    @discardableResult
    func authenticate(_ tokens: SessionTokens) throws(AuthError) -> Principal {
        try authenticate(tokens.access.reveal())
    }

    func signOut(_ tokens: SessionTokens, _ scope: SignOut.Scope) throws(AuthError) {
        try auth.signOut(refreshToken: tokens.refresh.reveal(), scope: scope, Caller())
    }

    func delete(_ tokens: SessionTokens) throws(AuthError) {
        try auth.deleteAccount(try authenticate(tokens), Caller())
    }
}
