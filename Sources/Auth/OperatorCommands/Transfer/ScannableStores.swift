internal import DynamoDBStore
internal import PostgreSQLStore
internal import SQLiteStore
internal import StoreTransfer

extension DynamoDBStore: ScannableStore {}
extension PostgreSQLStore: SnapshotStore {}
extension SQLiteStore: SnapshotStore {}
