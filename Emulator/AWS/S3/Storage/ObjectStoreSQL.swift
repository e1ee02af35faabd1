/// All statements, prepared at their first use.
enum ObjectStoreSQL: Hashable {
    case begin, commit, rollback
    case segments
    case buckets, bucket, addBucket, deleteBucket, anyObject
    case cors, putCORS, deleteCORS
    case object, putObject, deleteObject, list, summaries, bucketSize
    case addUpload, upload, uploads, deleteUpload, putPart, part, parts, deleteParts

    static let schema: [StaticString] = [
        "PRAGMA locking_mode = EXCLUSIVE",
        // Acknowledged writes survive a kill of the process, because the kernel has the pages; a
        // power failure may lose them, which is acceptable for an emulator and saves a sync per
        // write. Set before the next pragma, which would otherwise sync a new file.
        "PRAGMA synchronous = OFF",
        "PRAGMA journal_mode = WAL",
        """
        CREATE TABLE IF NOT EXISTS buckets (
            name BLOB PRIMARY KEY, created INTEGER NOT NULL) WITHOUT ROWID
        """,
        """
        CREATE TABLE IF NOT EXISTS cors (
            bucket BLOB PRIMARY KEY, document BLOB NOT NULL) WITHOUT ROWID
        """,
        """
        CREATE TABLE IF NOT EXISTS objects (
            bucket BLOB NOT NULL, key BLOB NOT NULL, size INTEGER NOT NULL, etag BLOB NOT NULL,
            modified INTEGER NOT NULL, headers BLOB NOT NULL, segments BLOB NOT NULL,
            PRIMARY KEY (bucket, key)) WITHOUT ROWID
        """,
        """
        CREATE TABLE IF NOT EXISTS uploads (
            bucket BLOB NOT NULL, key BLOB NOT NULL, id BLOB NOT NULL, started INTEGER NOT NULL,
            headers BLOB NOT NULL, PRIMARY KEY (bucket, key, id)) WITHOUT ROWID
        """,
        """
        CREATE TABLE IF NOT EXISTS parts (
            upload BLOB NOT NULL, number INTEGER NOT NULL, size INTEGER NOT NULL,
            etag BLOB NOT NULL, modified INTEGER NOT NULL, checksum BLOB NOT NULL,
            segments BLOB NOT NULL, PRIMARY KEY (upload, number)) WITHOUT ROWID
        """,
    ]

    var text: StaticString {
        switch self {
        case .begin: "BEGIN IMMEDIATE"
        case .commit: "COMMIT"
        case .rollback: "ROLLBACK"
        case .segments: "SELECT segments FROM objects UNION ALL SELECT segments FROM parts"
        case .buckets: "SELECT name, created FROM buckets ORDER BY name"
        case .bucket: "SELECT created FROM buckets WHERE name = ?1"
        case .addBucket: "INSERT INTO buckets (name, created) VALUES (?1, ?2)"
        case .deleteBucket: "DELETE FROM buckets WHERE name = ?1"
        case .cors: "SELECT document FROM cors WHERE bucket = ?1"
        case .putCORS: "INSERT OR REPLACE INTO cors (bucket, document) VALUES (?1, ?2)"
        case .deleteCORS: "DELETE FROM cors WHERE bucket = ?1"
        case .anyObject: "SELECT 1 FROM objects WHERE bucket = ?1 LIMIT 1"
        case .object:
            """
            SELECT size, etag, modified, headers, segments FROM objects
            WHERE bucket = ?1 AND key = ?2
            """
        case .putObject:
            """
            INSERT INTO objects (bucket, key, size, etag, modified, headers, segments)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            ON CONFLICT (bucket, key) DO UPDATE SET size = excluded.size, etag = excluded.etag,
            modified = excluded.modified, headers = excluded.headers,
            segments = excluded.segments
            """
        case .deleteObject: "DELETE FROM objects WHERE bucket = ?1 AND key = ?2"
        case .list:
            """
            SELECT key, size, etag, modified FROM objects
            WHERE bucket = ?1 AND key >= ?2 AND key < ?3 ORDER BY key LIMIT ?4
            """
        case .summaries:
            """
            SELECT key, size, etag, modified, headers FROM objects
            WHERE bucket = ?1 AND key >= ?2 AND key < ?3 ORDER BY key LIMIT ?4
            """
        case .bucketSize: "SELECT count(*), coalesce(sum(size), 0) FROM objects WHERE bucket = ?1"
        case .addUpload:
            "INSERT INTO uploads (bucket, key, id, started, headers) VALUES (?1, ?2, ?3, ?4, ?5)"
        case .upload:
            "SELECT started, headers FROM uploads WHERE bucket = ?1 AND key = ?2 AND id = ?3"
        case .uploads:
            """
            SELECT key, id, started FROM uploads
            WHERE bucket = ?1 AND (key, id) > (?2, ?3) ORDER BY key, id LIMIT ?4
            """
        case .deleteUpload: "DELETE FROM uploads WHERE bucket = ?1 AND key = ?2 AND id = ?3"
        case .putPart:
            """
            INSERT INTO parts (upload, number, size, etag, modified, checksum, segments)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            ON CONFLICT (upload, number) DO UPDATE SET size = excluded.size, etag = excluded.etag,
            modified = excluded.modified, checksum = excluded.checksum,
            segments = excluded.segments
            """
        case .part: "SELECT segments FROM parts WHERE upload = ?1 AND number = ?2"
        case .parts:
            """
            SELECT number, size, etag, modified, checksum, segments FROM parts
            WHERE upload = ?1 AND number > ?2 ORDER BY number LIMIT ?3
            """
        case .deleteParts: "DELETE FROM parts WHERE upload = ?1"
        }
    }
}
