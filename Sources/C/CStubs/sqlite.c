// None of our statements uses SQLite's full-text search, R-trees, JSON, dates, statistics or
// loadable extensions. They would be 340 KB of every executable, and their registration a part of
// opening a database. These functions register nothing, so that SQLite refuses a statement that
// needs one: "no such module: fts5", "no such function: json_extract".
#include "CStubs.h"

typedef struct sqlite3 sqlite3;
enum { SQLITE_OK = 0, SQLITE_ERROR = 1 };

STUB int sqlite3DbstatRegister(sqlite3 *db) { return SQLITE_OK; }
STUB int sqlite3Fts3Init(sqlite3 *db) { return SQLITE_OK; }
STUB int sqlite3Fts5Init(sqlite3 *db) { return SQLITE_OK; }
STUB int sqlite3JsonTableFunctions(sqlite3 *db) { return SQLITE_OK; }
STUB int sqlite3RtreeInit(sqlite3 *db) { return SQLITE_OK; }
STUB int sqlite3StmtVtabInit(sqlite3 *db) { return SQLITE_OK; }
STUB void sqlite3RegisterDateTimeFunctions(void) {}
STUB void sqlite3RegisterJsonFunctions(void) {}

// All functions of the object for loading extensions that SQLite calls.
STUB void sqlite3AutoLoadExtensions(sqlite3 *db) {}
STUB void sqlite3CloseExtensions(sqlite3 *db) {}
STUB int sqlite3_load_extension(
    sqlite3 *db, const char *file, const char *function, char **message) {
  return SQLITE_ERROR;
}
STUB void sqlite3_reset_auto_extension(void) {}
