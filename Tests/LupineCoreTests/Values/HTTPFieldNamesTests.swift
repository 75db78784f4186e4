import HTTPTypes
import LupineSupport
import Testing

@testable import LupineCore

@Suite struct HTTPFieldNamesTests {
  @Test func `the predefined names have the standard spelling`() {
    #expect(HTTPField.Name.host.rawName == "Host")
    #expect(HTTPField.Name.idempotencyKey.rawName == "Idempotency-Key")
  }
}
