#pragma once
#include <sqlite3.h>

/// Binds a copy of the bytes; Swift does not import the macro `SQLITE_TRANSIENT`.
static inline int lupine_sqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
  // A null pointer would bind NULL, not an empty value.
  return sqlite3_bind_blob64(statement, index, bytes ? bytes : "", count, SQLITE_TRANSIENT);
}
