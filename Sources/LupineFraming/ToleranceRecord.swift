import LupineCore

/// The violations that a reader accepts, and those that it has accepted.
struct ToleranceRecord: Sendable {
  /// The tolerances of the reader.
  let allowed: ResponseTolerances
  /// The tolerances that the response has needed so far.
  private(set) var used: ResponseTolerances = []

  /// Accepts a violation.
  ///
  /// - Throws: the error of the violation, if no tolerance of the reader accepts it.
  mutating func accept(_ violation: some Violation) throws(LupineError) {
    guard let tolerance = violation.tolerance, allowed.contains(tolerance) else { throw violation.error }
    used.insert(tolerance)
  }

  /// Adds the tolerances that a part of the response has needed.
  mutating func add(_ part: ToleranceRecord) { used.formUnion(part.used) }
}

/// A violation of HTTP in a response; the raw value says which one.
protocol Violation: RawRepresentable<String> {
  /// The tolerance that would accept the response; `nil` if none does.
  var tolerance: ResponseTolerances? { get }
}

extension Violation {
  /// The error of the response, which names the tolerance that would accept it.
  ///
  /// Other programs may find a different end of such a response, so its connection is not reused (RFC 9112 section 6.3).
  var error: LupineError {
    let advice = tolerance.map { " \($0.advice)" } ?? ""
    return LupineError(
      .malformedResponse, "The response violates HTTP: \(rawValue). Its connection is closed.\(advice)")
  }
}
