/// The statements that are used more than once.
enum SQL: Int, CaseIterable {
    case begin, beginReading, commit, rollback, savepoint, rollbackToSavepoint, releaseSavepoint
    case get, query, scan, nextPartition, put, delete
    case sweepStart, sweep, sweepProgress

    var text: StaticString {
        switch self {
        case .begin: "BEGIN IMMEDIATE"
        case .beginReading: "BEGIN"
        case .commit: "COMMIT"
        case .rollback: "ROLLBACK"
        case .savepoint: "SAVEPOINT part"
        case .rollbackToSavepoint: "ROLLBACK TO part"
        case .releaseSavepoint: "RELEASE part"
        case .get:
            """
            SELECT expires, attributes FROM items
            WHERE partition = ?1 AND sort = ?2 AND (expires IS NULL OR expires > ?3)
            """
        case .query:
            """
            SELECT sort, expires, attributes FROM items
            WHERE partition = ?1 AND sort >= ?2 AND sort < ?3 AND (expires IS NULL OR expires > ?4)
            ORDER BY sort LIMIT ?5
            """
        case .scan:
            """
            SELECT partition, sort, expires, attributes FROM items
            WHERE (partition, sort) > (?1, ?2) AND (expires IS NULL OR expires > ?3)
            ORDER BY partition, sort LIMIT ?4
            """
        case .nextPartition:
            """
            SELECT partition, sort FROM items WHERE partition > ?1 AND partition >= ?2
            AND partition < ?3 ORDER BY partition, sort LIMIT 1
            """
        case .put:
            """
            INSERT INTO items (partition, sort, expires, attributes) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (partition, sort) DO UPDATE
            SET expires = excluded.expires, attributes = excluded.attributes
            """
        case .delete:
            "DELETE FROM items WHERE partition = ?1 AND sort = ?2"
        case .sweepStart: "SELECT partition, sort FROM sweep"
        case .sweep:
            """
            SELECT partition, sort, expires FROM items WHERE (partition, sort) > (?1, ?2)
            ORDER BY partition, sort LIMIT ?3
            """
        case .sweepProgress: "UPDATE sweep SET partition = ?1, sort = ?2"
        }
    }
}
