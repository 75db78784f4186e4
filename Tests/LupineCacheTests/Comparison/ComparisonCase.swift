import HTTPTypes
import Testing

/// The requests that each of two shared caches receives, and the responses of the server behind them.
struct ComparisonCase: Sendable, CustomTestStringConvertible {
  /// A response of the server.
  struct Reply: Sendable {
    var status = 200
    var fields: KeyValuePairs<String, String> = [:]
    var acceptsRanges = false
  }

  /// A request of the client.
  struct Step: Sendable {
    var method = HTTPRequest.Method.get
    var path = "/"
    var headers: HTTPFields = [:]
  }

  static let body = "0123456789"

  let name: String
  /// The responses in their order; the last one repeats.
  let replies: [Reply]
  let steps: [Step]
  /// Why squid decides differently; `nil` if both caches decide alike.
  let knownDifference: String?

  var testDescription: String { name }

  /// A case with one response for all requests; by default the same request comes twice.
  init(
    _ name: String, _ fields: KeyValuePairs<String, String>, status: Int = 200, acceptsRanges: Bool = false,
    steps: [Step] = [Step(), Step()], knownDifference: String? = nil
  ) {
    self.init(
      name, replies: [Reply(status: status, fields: fields, acceptsRanges: acceptsRanges)], steps: steps,
      knownDifference: knownDifference)
  }

  init(_ name: String, replies: [Reply], steps: [Step] = [Step(), Step()], knownDifference: String? = nil) {
    self.name = name
    self.replies = replies
    self.steps = steps
    self.knownDifference = knownDifference
  }
}

extension ComparisonCase.Step {
  /// A GET request with one field.
  static func get(_ name: HTTPField.Name, _ value: String) -> Self { Self(headers: [name: value]) }
  static let get = Self()
  static let head = Self(method: .head)
}
