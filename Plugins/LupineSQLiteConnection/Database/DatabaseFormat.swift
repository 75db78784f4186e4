/// The settings and the tables of a database.
public struct DatabaseFormat: Sendable {
  /// When a commit is on the disk.
  public enum Durability: String, Sendable {
    /// At its end: a power failure loses nothing that was committed.
    case full = "FULL"
    /// At the next checkpoint: a power failure can lose the last commits, but not damage the database.
    case normal = "NORMAL"
  }

  private let durability: Durability
  private let options: String
  private let tables: [String]
  private let beginning: String

  /// - Parameters:
  ///   - options: settings besides the common ones.
  ///   - tables: the statements that make the tables, as SQLite stores their text.
  ///   - beginning: a statement that runs in the transaction that makes the tables.
  public init(durability: Durability, options: String = "", tables: [String], beginning: String) {
    self.durability = durability
    self.options = options
    self.tables = tables
    self.beginning = beginning
  }

  /// Applies the settings, and makes the tables if the database is empty.
  ///
  /// - Throws: `SQLiteFailure`, which is damage if the database has other tables.
  public func apply(to connection: borrowing Connection) throws(SQLiteFailure) {
    try connection.execute(settings)
    var found: [String] = []
    let query = try Statement("SELECT sql FROM sqlite_schema WHERE sql NOT NULL", on: connection)
    try query.run { (row) throws(SQLiteFailure) in found.append(row.text(0)) }
    guard !found.isEmpty else {
      let tables = tables.joined(separator: ";\n")
      return try connection.execute("BEGIN IMMEDIATE;\n\(tables);\n\(beginning);\nCOMMIT")
    }
    found.removeAll { $0.hasPrefix("CREATE TABLE sqlite_") }
    guard Set(found) == Set(tables), found.count == tables.count else {
      throw .damaged("the tables are not those of this release")
    }
  }

  /// The settings as statements, of which `auto_vacuum` must precede the first write.
  ///
  /// The log has about 256 KiB before a checkpoint.
  private var settings: String {
    """
    PRAGMA auto_vacuum=INCREMENTAL;
    PRAGMA journal_mode=WAL;
    PRAGMA synchronous=\(durability.rawValue);
    PRAGMA wal_autocheckpoint=64;
    PRAGMA journal_size_limit=262144;
    PRAGMA trusted_schema=OFF;
    PRAGMA cell_size_check=ON;
    PRAGMA mmap_size=0;
    PRAGMA temp_store=MEMORY;
    \(options)
    """
  }
}
