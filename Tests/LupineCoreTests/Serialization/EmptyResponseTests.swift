import Foundation
import HTTPTypes
import Testing

@testable import LupineCore
@testable import LupineCoding

@Suite struct EmptyResponseTests {
  @Test(
    arguments: [
      (200, .get, false), (204, .get, true), (205, .post, true), (200, .head, true), (304, .get, false),
      (202, .put, false),
    ] as [(Int, HTTPRequest.Method, Bool)])
  func `an empty body is a value if the rules allow it`(status: Int, method: HTTPRequest.Method, isAllowed: Bool)
    throws
  {
    let response = try received("", status: status, method: method)
    if isAllowed {
      #expect(try DataResponseSerializer().serialize(response).isEmpty)
      #expect(try StringResponseSerializer().serialize(response).isEmpty)
      #expect(try JSONResponseSerializer().serialize(response) == .null)
      #expect(try PropertyListResponseSerializer().serialize(response) == .dictionary([:]))
      #expect(try DecodableResponseSerializer<Empty>().serialize(response) == Empty.value)
      #expect(try DecodableResponseSerializer<Int?>().serialize(response) == nil)
    } else {
      #expect(try failure(of: .data, response)?.kind == .emptyResponse)
      #expect(try failure(of: .string, response)?.kind == .emptyResponse)
      #expect(try failure(of: .json, response)?.kind == .emptyResponse)
      #expect(try failure(of: .propertyList, response)?.kind == .emptyResponse)
      #expect(try failure(of: .decodable(of: Empty.self), response)?.kind == .emptyResponse)
    }
  }

  @Test func `codes and methods of one's own replace the default ones`() throws {
    let serializer = DataResponseSerializer(emptyResponseCodes: [202], emptyRequestMethods: [.delete])
    #expect(try serializer.serialize(try received("", status: 202)).isEmpty)
    #expect(try serializer.serialize(try received("", method: .delete)).isEmpty)
    #expect(try failure(of: serializer, try received("", status: 204))?.kind == .emptyResponse)
  }

  @Test func `the error names the code to add`() throws {
    let error = try failure(of: .data, try received("", status: 202, method: .put))
    #expect(error?.message.contains("PUT") == true)
    #expect(error?.message.contains("add 202 to `emptyResponseCodes`") == true)
  }

  @Test func `a type without an empty value is an error that names it`() throws {
    let error = try failure(of: .decodable(of: [Int].self), try received("", status: 204))
    #expect(error?.kind == .emptyResponse)
    #expect(error?.message.contains("Array<Int>") == true)
  }
}
