import HTTPTypes
import LupineMock

@testable import LupineCore
@testable import LupineSession

/// A mock, a clock whose sleeps take no time, and sessions that use both.
struct TestBed {
  static let url = "https://api.example.com/v1/users"

  let mock = MockTransport()
  let clock = ImmediateClock()
  let log = EventLog()

  /// Makes a bench whose mock answers every request with `reply`.
  init(_ reply: MockReply = .text("hello")) {
    for method in [HTTPRequest.Method.get, .post, .put, .delete, .head, .patch] {
      mock.stub([method], "/{any...}", reply)
    }
  }

  /// Makes a bench whose mock has only the stubs that the closure adds.
  init(stubs: (MockTransport) -> Void) { stubs(mock) }

  func session(_ change: (Session.Builder) -> Session.Builder = { $0 }) throws -> Session {
    try change(Session.Builder().transport(mock).clock(clock).monitor(log)).build()
  }
}

extension ResponseBodyWriter {
  @discardableResult
  func write(_ bytes: inout [UInt8]) throws(LupineError) -> Flow {
    let result = bytes.withUnsafeBytes { bytes -> Result<Flow, LupineError> in
      do throws(LupineError) { return .success(try write(bytes)) } catch { return .failure(error) }
    }
    return try result.get()
  }
}

extension HTTPField.Name {
  static let apiKey = HTTPField.Name("X-API-Key") ?? .authorization
  static let custom = HTTPField.Name("X-Custom") ?? .server
}

extension RequestHeader.Name {
  static let custom = RequestHeader.Name(.custom)
}
