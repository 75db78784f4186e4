public import HTTPTypes

/// The methods that a stub answers: `.get`, `[.get, .head]`, `.any`, or `[method]` with a variable.
public struct StubMethods: Sendable, Hashable {
  /// `nil` for every method.
  private let listed: [HTTPRequest.Method]?

  /// Every method.
  public static let any = StubMethods(listed: nil)
  /// DELETE.
  public static let delete: StubMethods = [.delete]
  /// GET without HEAD.
  public static let get: StubMethods = [.get]
  /// HEAD.
  public static let head: StubMethods = [.head]
  /// OPTIONS.
  public static let options: StubMethods = [.options]
  /// PATCH.
  public static let patch: StubMethods = [.patch]
  /// POST.
  public static let post: StubMethods = [.post]
  /// PUT.
  public static let put: StubMethods = [.put]
  /// QUERY.
  public static let query: StubMethods = [.query]
  /// TRACE.
  public static let trace: StubMethods = [.trace]

  /// Whether a request with this method is answered.
  public func contains(_ method: HTTPRequest.Method) -> Bool { listed?.contains(method) ?? true }

  /// The single method; `nil` if there is not exactly one.
  var only: HTTPRequest.Method? { listed?.count == 1 ? listed?.first : nil }
}

extension StubMethods: ExpressibleByArrayLiteral {
  /// Creates a set of the listed methods.
  public init(arrayLiteral methods: HTTPRequest.Method...) { listed = methods }
}

extension StubMethods: CustomStringConvertible {
  /// The methods in readable form.
  public var description: String {
    guard let listed else { return "any method" }
    return listed.isEmpty ? "no method" : listed.map(\.rawValue).joined(separator: " or ")
  }
}

/// How often a stub answers.
public struct StubCount: Sendable, Hashable {
  /// The minimum number of answers that `MockTransport.verify()` accepts.
  public let minimum: Int
  /// The maximum number of answers; `nil` means no limit.
  public let maximum: Int?

  /// Any number of times, and at least once.
  public static let unlimited = StubCount(minimum: 1, maximum: nil)
  /// Exactly once.
  public static let once = StubCount(minimum: 1, maximum: 1)
  /// Any number of times, or never.
  public static let optional = StubCount(minimum: 0, maximum: nil)

  /// Exactly `count` times.
  public static func times(_ count: Int) -> StubCount { StubCount(minimum: count, maximum: count) }

  /// At most `count` times, or never.
  public static func atMost(_ count: Int) -> StubCount { StubCount(minimum: 0, maximum: count) }
}

/// How much of a request's body a stub reads before it answers.
public enum RequestReading: Sendable, Hashable {
  /// The whole body; conditions and closures see it.
  case whole
  /// At most this number of bytes.
  ///
  /// The rest is never read, as with a server that refuses an upload early. Conditions see no body, so a condition on
  /// the body is never met. A closure and `MockTransport.requests` see the bytes that were read.
  case first(bytes: Int)
}

extension RequestReading {
  /// The maximum number of bytes that are read.
  var limit: Int {
    switch self {
    case .whole: .max
    case .first(let count): max(0, count)
    }
  }
}

extension NetworkFault {
  /// The number of bytes of the request's body that a server receives; `nil` if it receives all of them.
  var requestBytesBeforeReset: Int? {
    if case .resetInRequest(let count) = self { max(0, count) } else { nil }
  }
}

/// The source location of a stub.
public struct StubLocation: Sendable, CustomStringConvertible {
  /// The module and the file, as in `#fileID`.
  public let fileID: String
  /// The path of the file, as in `#filePath`.
  public let filePath: String
  /// The line, from 1.
  public let line: UInt
  /// The column, from 1.
  public let column: UInt

  /// The file and the line.
  public var description: String { "\(fileID):\(line)" }
}
