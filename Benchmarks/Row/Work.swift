import Glibc

/// The work of a row's program; every row has the same command line.
///
///     ROW WORKLOAD URL COUNT CONCURRENCY WARM [FILE]
///
/// WARM requests precede the measurement. `LUPINE_CA` is the path of the file of root certificates. Before all other
/// requests, `LUPINE_IDLE` simultaneous requests for `LUPINE_IDLE_URL` open as many connections, which then stay idle.
public struct Work: Sendable {
  /// The kinds of requests.
  public enum Kind: String, Sendable {
    /// Collects each body in memory.
    case get
    /// The same, each from a URL of its own.
    case each
    /// The same as `get`, from eight origins in turn: a number replaces the `#` of the URL.
    case spread
    /// Discards the bytes of each body as they arrive.
    case discard
    /// Writes the body to FILE.
    case file
    /// Reads the body as an async stream.
    case stream
    /// Sends FILE.
    case put
    /// Sends FILE as an async stream.
    case putStream = "put-stream"
    /// Sends a form of ten files, each of them FILE.
    case form
    /// Collects each body and decodes it from JSON.
    case decode
  }

  /// The kind of the requests.
  public let kind: Kind
  /// The URL of the requests.
  public let url: String
  /// The number of measured requests.
  public let count: Int
  /// The number of requests in flight.
  public let concurrency: Int
  /// The number of requests before the measurement.
  public let warmUp: Int
  /// The path of FILE; empty if there is none.
  public let path: String
  /// The number of connections that stay idle during the measurement.
  public let idle = Int(Self.variable("LUPINE_IDLE") ?? "") ?? 0
  /// The URL of the requests that open the idle connections; its responses are delayed.
  public let idleURL = Self.variable("LUPINE_IDLE_URL") ?? ""
  /// The path of the file of root certificates; `nil` means the system's certificates.
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

  /// A variable of the environment; `nil` if it is not set.
  public static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}

/// The error of a row that cannot do its work.
public struct WorkError: Error, CustomStringConvertible {
  /// The reason.
  public let description: String

  /// Creates an error with its reason.
  public init(_ description: String) { self.description = description }
}
