import LupineCore

/// What a `ResponseValidator` holds: a class, since each request copies its validators.
protocol ValidationRule: AnyObject, Sendable {
  func check(_ response: ReceivedResponse, hasBody: Bool) throws(LupineError)
}
