/// What a `ResponseValidator` holds.
protocol ValidationRule: Sendable {
  func check(_ response: ReceivedResponse, hasBody: Bool) throws(LupineError)
}
