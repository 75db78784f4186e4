import LupineCore

/// Refuses what a program's own closure refuses.
final class CustomRule: ValidationRule {
  private let validation: Validation

  init(validation: @escaping Validation) { self.validation = validation }

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
