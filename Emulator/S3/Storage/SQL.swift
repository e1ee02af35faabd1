/// Every statement, prepared at its first use.
enum SQL: Hashable {
    case begin, commit, rollback
    case lastContent, looseContents, addContent, setLoose, deleteContent, readContent,
        readContentKind
    case buckets, bucket, addBucket, deleteBucket, anyObject
    case object, putObject, deleteObject, list
    case addUpload, upload, uploads, deleteUpload, putPart, part, parts, deleteParts

    static let schema: [StaticString] = [
        "PRAGMA locking_mode = EXCLUSIVE",
        // What was acknowledged survives the end of this process, however violent: the system
        // keeps written pages. A power failure is a laptop's smallest worry, and syncing each
        // write its largest cost. (Before the next line, or a new file waits for the disk.)
        "PRAGMA synchronous = OFF",
        // A content of 10 KB fits into one page, which the log takes in two writes, not eight.
        "PRAGMA page_size = 16384",
        "PRAGMA journal_mode = WAL",
        // An object that is put again and again goes into the file once in 16 MB.
        "PRAGMA wal_autocheckpoint = 1000",
        """
        CREATE TABLE IF NOT EXISTS buckets (
            name BLOB PRIMARY KEY, created INTEGER NOT NULL) WITHOUT ROWID
        """,
        """
        CREATE TABLE IF NOT EXISTS objects (
            bucket BLOB NOT NULL, key BLOB NOT NULL, size INTEGER NOT NULL, etag BLOB NOT NULL,
            modified INTEGER NOT NULL, headers BLOB NOT NULL, segments BLOB NOT NULL,
            PRIMARY KEY (bucket, key)) WITHOUT ROWID
        """,
        // `data` is null where the bytes are in a file. `loose`: no object or part has them.
        """
        CREATE TABLE IF NOT EXISTS contents (
            id INTEGER PRIMARY KEY, data BLOB, loose INTEGER NOT NULL)
        """,
        "CREATE INDEX IF NOT EXISTS loose_contents ON contents (id) WHERE loose = 1",
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
        case .lastContent: "SELECT coalesce(max(id), 0) FROM contents"
        case .looseContents: "SELECT id FROM contents WHERE loose = 1"
        case .addContent: "INSERT INTO contents (id, data, loose) VALUES (?1, ?2, ?3)"
        case .setLoose: "UPDATE contents SET loose = ?2 WHERE id = ?1"
        case .deleteContent: "DELETE FROM contents WHERE id = ?1"
        case .readContent: "SELECT data FROM contents WHERE id = ?1"
        case .readContentKind: "SELECT data IS NULL FROM contents WHERE id = ?1"
        case .buckets: "SELECT name, created FROM buckets ORDER BY name"
        case .bucket: "SELECT created FROM buckets WHERE name = ?1"
        case .addBucket: "INSERT INTO buckets (name, created) VALUES (?1, ?2)"
        case .deleteBucket: "DELETE FROM buckets WHERE name = ?1"
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
