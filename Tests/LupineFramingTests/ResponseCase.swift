import HTTPTypes
import LupineCore
import LupineFraming
import Testing

/// The bytes of a response, and what a reader must find in them.
struct ResponseCase: Sendable, CustomTestStringConvertible {
  /// The section of RFC 9112, or of RFC 9110 if the text says so, and what the case tests.
  let rule: String
  let bytes: [UInt8]
  let expected: Expectation
  var method = HTTPRequest.Method.get
  var limits = Limits()
  /// The violations that the reader accepts.
  var tolerances: ResponseTolerances = []

  /// - Parameter text: the bytes; `⏎` stands for CRLF, and other characters are ISO Latin 1.
  init(_ rule: String, _ text: String, _ expected: Expectation, to method: HTTPRequest.Method = .get) {
    self.rule = rule
    bytes = Self.bytes(text)
    self.expected = expected
    self.method = method
  }

  /// A case with a limit.
  init(_ rule: String, _ text: String, _ limit: WritableKeyPath<Limits, Int>, _ value: Int, _ expected: Expectation) {
    self.init(rule, text, expected)
    limits[keyPath: limit] = value
  }

  var testDescription: String { rule }

  static func bytes(_ text: String) -> [UInt8] {
    text.unicodeScalars.flatMap { $0 == "⏎" ? [13, 10] : [UInt8(truncatingIfNeeded: $0.value)] }
  }

  /// Reads the bytes in all ways, and compares the result.
  func check() throws {
    let reading = try ResponseReading.theSame(of: bytes, to: method, limits, tolerating: tolerances)
    switch expected {
    case .reads(let content, let framing, let keeps, let rest):
      try #require(reading.failure == nil, "\(reading.message)")
      #expect(reading.content == Self.bytes(content))
      #expect(reading.framing == framing)
      #expect(reading.keepsConnection == keeps)
      #expect(reading.rest == Self.bytes(rest))
      #expect(reading.isFinished)
    case .status(let status):
      #expect(reading.failure == nil && reading.isFinished, "\(reading.message)")
      #expect(reading.status == status)
    case .fields(let fields):
      #expect(reading.failure == nil && reading.isFinished, "\(reading.message)")
      #expect(reading.fields == fields)
    case .interim(let heads):
      #expect(reading.failure == nil && reading.isFinished, "\(reading.message)")
      #expect(reading.interim == heads)
    case .trailers(let trailers):
      #expect(reading.failure == nil && reading.isFinished, "\(reading.message)")
      #expect(reading.trailers == trailers)
    case .refused(let reason): expect(.malformedResponse, reason, reading)
    case .lost(let reason): expect(.connectionLost, reason, reading)
    case .exceeds(let name): expect(.limitExceeded(name), name.rawValue, reading)
    }
  }

  private func expect(_ kind: LupineError.Kind, _ reason: String, _ reading: ResponseReading) {
    #expect(reading.failure == kind)
    #expect(reading.message.contains(reason))
    #expect(!reading.isFinished && !reading.keepsConnection)
  }
}

/// The expected result of a reader.
enum Expectation: Sendable {
  /// A response with this content.
  case reads(_ content: String, ResponseFraming, keeps: Bool = true, rest: String = "")
  /// A final head with this code and reason phrase.
  case status(String)
  /// A final head with these fields, as `name=value`.
  case fields([String])
  /// These interim heads.
  case interim([String])
  case trailers([String])
  /// An error of kind `malformedResponse` whose message contains this text.
  case refused(String)
  /// An error of kind `connectionLost` whose message contains this text.
  case lost(String)
  /// An error that names this limit.
  case exceeds(Limits.Name)
}
