import Glibc

/// What a row's program is asked to do; every row has the same command line.
///
///     ROW WORKLOAD URL COUNT CONCURRENCY WARM [FILE]
///
/// WARM requests go first and are not counted; `LUPINE_CA` names the file of root certificates. `LUPINE_IDLE` connections
/// are opened before by as many requests for `LUPINE_IDLE_URL` at once, and left idle.
public struct Work: Sendable {
  /// What is done with each request.
  public enum Kind: String, Sendable {
    /// Gathers each body in memory.
    case get
    /// Drops the bytes as they come.
    case discard
    /// Writes the body to FILE.
    case file
    /// Takes the body as an async stream.
    case stream
    /// Sends FILE.
    case put
    /// Sends FILE as an async stream.
    case putStream = "put-stream"
    /// Sends a form of ten files, each of them FILE.
    case form
    /// Gathers each body and decodes it from JSON.
    case decode
  }

  /// What is done with each request.
  public let kind: Kind
  /// Where the requests go.
  public let url: String
  /// How many are counted.
  public let count: Int
  /// How many are under way at a time.
  public let concurrency: Int
  /// How many go first.
  public let warmUp: Int
  /// FILE; empty where there is none.
  public let path: String
  /// How many connections lie idle meanwhile, and the URL that opens them, whose answers are late.
  public let idle = Int(Self.variable("LUPINE_IDLE") ?? "") ?? 0
  /// See `idle`.
  public let idleURL = Self.variable("LUPINE_IDLE_URL") ?? ""
  /// The file of root certificates; `nil` means the system's.
  public let authorities = Self.variable("LUPINE_CA")

  /// Reads the command line.
  public init() throws {
    let words = CommandLine.arguments
    guard words.count > 5, let kind = Kind(rawValue: words[1]), let count = Int(words[3]),
      let concurrency = Int(words[4]), let warmUp = Int(words[5])
    else { throw WorkError("\(words[0]) WORKLOAD URL COUNT CONCURRENCY WARM [FILE]") }
    self.kind = kind
    url = words[2]
    self.count = count
    self.concurrency = concurrency
    self.warmUp = warmUp
    path = words.count > 6 ? words[6] : ""
  }

  /// A variable of the environment; `nil` where it is not set.
  public static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}

/// Why a row cannot do what it is asked.
public struct WorkError: Error, CustomStringConvertible {
  /// The reason.
  public let description: String

  /// Gives the reason.
  public init(_ description: String) { self.description = description }
}
