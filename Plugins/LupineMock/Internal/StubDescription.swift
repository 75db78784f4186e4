import LupineCore

/// What a stub was asked to be.
struct StubDescription: Sendable {
  let methods: StubMethods
  let url: String
  let conditions: [RequestCondition]
  let priority: Int
  let count: StubCount
  let reading: RequestReading
  let location: StubLocation
  /// How many stubs the mock had before it.
  let place: Int
  /// What went wrong while it answered, for `verify()`.
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
  /// Why no request can meet its conditions.
  var impossibility: String? { conditions.lazy.compactMap(\.problem).first }

  /// The template as a report shows it: without a secret parameter's value, unless that is a variable.
  var shownURL: String {
    guard let sign = url.firstIndex(of: "?") else { return url }
    let items = url[url.index(after: sign)...].split(separator: "&", omittingEmptySubsequences: false)
    let shown = items.map { $0.contains("={") ? String($0) : SecretParameters.redact(String($0)) }
    return url[...sign] + shown.joined(separator: "&")
  }

  /// Notes an error of the stub's own and returns it.
  func noted(_ error: LupineError) -> LupineError {
    failures.add(error)
    return error
  }

  /// An error that tells where the stub stands and what is wrong with it.
  func error(_ reason: String, underlying: (any Error)? = nil) -> LupineError {
    LupineError(
      .invalidStub, "The stub \(methods) \(shownURL) at \(location) cannot answer: \(reason)", underlying: underlying
    )
  }
}
