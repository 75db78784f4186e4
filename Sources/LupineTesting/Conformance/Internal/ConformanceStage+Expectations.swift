import LupineCore

extension ConformanceStage {
  func failure(_ what: String, expected: String, got: String) -> ConformanceFailure {
    ConformanceFailure(check: check, subject: subject.name, what: what, expected: expected, got: got)
  }

  func expect<Value: Equatable>(_ got: Value, _ expected: Value, _ what: String) throws {
    guard got != expected else { return }
    throw failure(what, expected: Normal.short("\(expected)"), got: Normal.short("\(got)"))
  }

  func expect(_ isTrue: Bool, _ what: String, expected: String = "true", got: String = "false") throws {
    guard !isTrue else { return }
    throw failure(what, expected: expected, got: got)
  }

  /// Expects bytes; a failure states the lengths and the first difference.
  func expect(bytes got: some Collection<UInt8>, _ expected: [UInt8], _ what: String = "The body") throws {
    guard [UInt8](got) != expected else { return }
    let place = zip(got, expected).enumerated().first { $0.element.0 != $0.element.1 }?.offset
    throw failure(
      what, expected: "\(expected.count) bytes",
      got: "\(got.count) bytes" + (place.map { ", of which number \($0) is the first to differ" } ?? ""))
  }

  /// Expects an error of a kind.
  @discardableResult
  func expect(
    error kind: LupineError.Kind, _ what: String, from operation: () async throws -> Void
  ) async throws -> LupineError {
    do {
      try await operation()
    } catch let error as LupineError {
      guard error.kind == kind else {
        throw failure(what, expected: "an error of kind \(kind)", got: "kind \(error.kind): \(error)")
      }
      return error
    }
    throw failure(what, expected: "an error of kind \(kind)", got: "no error")
  }

  /// Expects that an error's metrics count the received bytes of the body, including the piece that failed.
  func expect(received: ClosedRange<Int64>, by error: LupineError) throws {
    let count = error.metrics?.bytesReceived ?? 0
    let (least, most) = (received.lowerBound, received.upperBound)
    try expect(
      received.contains(count), "The bytes that the error's metrics count",
      expected: least == most ? "\(least)" : "\(least) or more", got: "\(count)")
  }
}
