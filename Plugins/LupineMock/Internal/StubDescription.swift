import LupineCore

/// The parameters of a stub.
struct StubDescription: Sendable {
  let methods: StubMethods
  let url: String
  let conditions: [RequestCondition]
  let priority: Int
  let count: StubCount
  let reading: RequestReading
  let location: StubLocation
  /// The number of stubs that the mock had before this one.
  let place: Int
  /// The errors of its answers, for `verify()`.
  let failures = StubFailures()

  init(
    _ methods: StubMethods, _ url: String, _ conditions: [RequestCondition], _ priority: Int, _ count: StubCount,
    _ reading: RequestReading, _ location: StubLocation,
    place: Int
  ) {
    self.methods = methods
    self.url = url
    self.conditions = conditions
    self.priority = priority
    self.count = count
    self.reading = reading
    self.location = location
    self.place = place
  }
}

extension StubDescription {
  /// Why no request can meet the conditions; `nil` if one can.
  var impossibility: String? { conditions.lazy.compactMap(\.problem).first }

  /// The template for a report, with the values of secret parameters removed unless they are variables.
  var shownURL: String {
    guard let sign = url.firstIndex(of: "?") else { return url }
    let items = url[url.index(after: sign)...].split(separator: "&", omittingEmptySubsequences: false)
    let shown = items.map { $0.contains("={") ? String($0) : SecretParameters.redact(String($0)) }
    return url[...sign] + shown.joined(separator: "&")
  }

  /// Records an error of the stub and returns it.
  func noted(_ error: LupineError) -> LupineError {
    failures.add(error)
    return error
  }

  /// Returns an error with the location of the stub and the reason.
  func error(_ reason: String, underlying: (any Error)? = nil) -> LupineError {
    LupineError(
      .invalidStub, "The stub \(methods) \(shownURL) at \(location) cannot answer: \(reason)", underlying: underlying
    )
  }
}
