/// Refuses what a program's own closure refuses.
struct CustomRule: ValidationRule {
  let validation: Validation

  func check(_ response: ReceivedResponse, hasBody: Bool) throws(LupineError) {
    do {
      try validation(response.request, response.head, response.data)
    } catch let error as LupineError {
      throw error
    } catch {
      throw LupineError(.validationFailed, "A validation closure refused the response: \(error).", underlying: error)
    }
  }
}
