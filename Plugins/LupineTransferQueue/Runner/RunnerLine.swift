import LupineFoundation

/// A line of the sockets in the folder of a queue: one JSON object.
///
/// A client begins with `RunnerLine.hello`. The server answers with its own, or with an error, after which it closes.
struct RunnerLine: Sendable, Equatable, Codable {
  /// The maximum length of a line in bytes.
  static let maximumLength = 4_096

  /// The request of a client.
  enum Request: String, Sendable, Codable {
    /// The client has changed the database. No answer.
    case notice
    /// The client wants the progress of transfers. No answer.
    case watch
    /// The state of the runner.
    case status
    /// The runner must end.
    case stop
  }

  /// The progress of a transfer.
  struct Progress: Sendable, Equatable, Codable {
    var transfer: Int64
    var completed: Int64
    var total: Int64?
  }

  /// The version of the lines, in the first one of each side.
  var version: Int?
  /// The version of the tables of the database, in the first line of each side.
  var tables: Int64?
  /// The process of the server, in its first line.
  var process: Int32?
  var request: Request?
  /// The database has changed.
  var isChanged: Bool?
  var progress: Progress?
  /// The answer to `status` and `stop`.
  var state: String?
  /// The reason for which the server closes the connection.
  var error: String?

  enum CodingKeys: String, CodingKey {
    case version = "protocol"
    case tables, process, request, progress, state, error
    case isChanged = "changed"
  }

  /// The first line of a client.
  static let hello = RunnerLine(version: QueueVersion.lines, tables: QueueVersion.tables)

  init(
    version: Int? = nil, tables: Int64? = nil, process: Int32? = nil, request: Request? = nil, isChanged: Bool? = nil,
    progress: Progress? = nil, state: String? = nil, error: String? = nil
  ) {
    self.version = version
    self.tables = tables
    self.process = process
    self.request = request
    self.isChanged = isChanged
    self.progress = progress
    self.state = state
    self.error = error
  }

  /// Decodes a line without its end; `nil` if it is none.
  init?(_ bytes: some Collection<UInt8>) {
    guard let line = try? JSONDecoder().decode(RunnerLine.self, from: Data(bytes)) else { return nil }
    self = line
  }

  /// The line with its end.
  var bytes: [UInt8] { ((try? [UInt8](JSONEncoder().encode(self))) ?? [UInt8]("{}".utf8)) + [UInt8(ascii: "\n")] }

  /// Whether the other end has the same version of the lines and of the tables.
  var hasSameVersions: Bool { version == QueueVersion.lines && tables == QueueVersion.tables }

  /// The versions as text.
  var versions: String { "protocol \(version.map { "\($0)" } ?? "none"), tables \(tables.map { "\($0)" } ?? "none")" }
}
