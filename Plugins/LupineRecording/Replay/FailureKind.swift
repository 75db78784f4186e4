import LupineCore

/// The names of the kinds of errors in a cassette, such as `connectionLost` or `timedOut(connect)`.
enum FailureKind {
  private static let simple: [LupineError.Kind] = [
    .hostNotFound, .connectionRefused, .networkUnreachable, .connectionFailed, .connectionLost, .tlsFailed,
    .certificateRejected, .proxyFailed, .addressRefused, .malformedResponse, .serverNotAuthenticated,
    .contentDecodingFailed, .redirectFailed, .other,
  ]

  private static let byName: [String: LupineError.Kind] = {
    var kinds = Dictionary(simple.map { (name(of: $0), $0) }) { first, _ in first }
    for bound in [LupineError.Timeout.connect, .idle, .total, .attempt] {
      kinds[name(of: .timedOut(bound))] = .timedOut(bound)
    }
    return kinds
  }()

  /// Returns the name of a kind.
  static func name(of kind: LupineError.Kind) -> String {
    switch kind {
    case .timedOut(let bound): "timedOut(\(bound))"
    case .limitExceeded(let name): "limitExceeded(\(name))"
    default: kind.name
    }
  }

  /// Returns the kind of a name; a name that this library does not know is a plugin's.
  static func kind(named name: String) -> LupineError.Kind {
    if let kind = byName[name] { return kind }
    if name.hasPrefix("limitExceeded("), name.hasSuffix(")"),
      let limit = Limits.Name(rawValue: String(name.dropFirst("limitExceeded(".count).dropLast()))
    {
      return .limitExceeded(limit)
    }
    return .plugin(LupineError.PluginKind(name))
  }

  /// Whether an error of the kind ends an exchange before it has a connection.
  static func isBeforeConnection(_ kind: LupineError.Kind) -> Bool {
    switch kind {
    case .hostNotFound, .connectionRefused, .networkUnreachable, .connectionFailed, .tlsFailed, .certificateRejected,
      .proxyFailed, .addressRefused, .timedOut(.connect):
      true
    default: false
    }
  }
}

extension Cassette.Failure {
  /// Describes an error of a transport.
  ///
  /// - Parameter bytes: the number of bytes of the body that arrived before; `nil` if no head arrived.
  init(_ error: LupineError, bytes: Int64?) {
    self.init(
      kind: FailureKind.name(of: error.kind), message: error.message, isUnprocessed: error.isUnprocessed,
      fault: Self.fault(error, bytes))
  }

  /// The error.
  var error: LupineError {
    let error = LupineError(FailureKind.kind(named: kind), message)
    return isUnprocessed ? error.unprocessed() : error
  }

  /// Whether the exchange had no connection.
  var isBeforeConnection: Bool { FailureKind.isBeforeConnection(FailureKind.kind(named: kind)) }

  /// Returns the fault of a mock that causes such an error, in Swift syntax.
  private static func fault(_ error: LupineError, _ bytes: Int64?) -> String? {
    switch error.kind {
    case .hostNotFound: ".hostNotFound"
    case .connectionRefused: ".connectionRefused"
    case .networkUnreachable: ".networkUnreachable"
    case .tlsFailed: ".tlsRefused"
    case .timedOut(.connect): ".connectionStalled"
    case .connectionLost:
      if let bytes { ".reset(afterBytes: \(bytes))" } else { error.isUnprocessed ? ".goAway" : ".resetBeforeHead" }
    default: nil
    }
  }
}
