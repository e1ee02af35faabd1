#pragma once
#include <sqlite3.h>

// SQLITE_TRANSIENT is a cast of -1 to a function pointer, which Swift does not import. A null
// pointer would bind NULL instead of the empty blob.
static inline int latchkey_bind_copy(
    sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
  return sqlite3_bind_blob64(
      statement, index, bytes ? bytes : "", count, SQLITE_TRANSIENT);
}
