import FoundationEssentials
import LupineCoding
import LupineCore
import Testing

@Suite struct ParametersTests {
  @Test func `parameters are added one by one, of literals and of variables`() throws {
    let (name, page, tags) = ("ada", 2, ["a", "b"])
    let limit: Int? = 5
    var parameters: Parameters = [:]
    parameters["name"] = name
    parameters["page"] = page + 1
    parameters["tags"] = tags
    parameters["mixed"] = [1, "a", nil]
    parameters["nested"] = ["x": 1, "y": "z"]
    parameters["limit"] = limit
    parameters["ratio"] = 0.5
    parameters["isNew"] = true
    parameters["none"] = .null
    #expect(
      parameters == [
        "name": "ada", "page": 3, "tags": ["a", "b"], "mixed": [1, "a", nil], "nested": ["x": 1, "y": "z"], "limit": 5,
        "ratio": 0.5, "isNew": true, "none": nil,
      ])
  }

  @Test func `values are read back, as JSON and as their types`() {
    let parameters: Parameters = ["name": "ada", "page": 2, "tags": ["a", "b"], "ratio": 1.5, "isNew": true]
    let name: String? = parameters["name"]
    let tags: [String]? = parameters["tags"]
    let ratio: Double? = parameters["ratio"]
    let isNew: Bool? = parameters["isNew"]
    #expect(name == "ada")
    #expect(tags == ["a", "b"])
    #expect(ratio == 1.5)
    #expect(isNew == true)
    #expect(parameters["page"]?.int == 2)
    #expect(parameters["page"] == 2)
  }

  @Test func `an identifier is a string in upper case, as an Encodable type has it`() throws {
    let text = "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"
    let id = try #require(UUID(uuidString: text.lowercased()))
    var parameters: Parameters = [:]
    parameters["id"] = id
    #expect(parameters == ["id": .string(text)])
    #expect(try JSONEncoder().encode([id]) == Data("[\"\(text)\"]".utf8))
    #expect(parameters["id"] as UUID? == id)
    #expect((["id": "no identifier"] as Parameters)["id"] as UUID? == nil)
    #expect((["id": 1] as Parameters)["id"] as UUID? == nil)
  }

  @Test func `a value of another type is not read`() {
    let parameters: Parameters = ["text": "x", "large": 300, "fraction": 1.5, "mixed": ["a", 1]]
    #expect(parameters["text"] as Int? == nil)
    #expect(parameters["text"] as Bool? == nil)
    #expect(parameters["large"] as String? == nil)
    #expect(parameters["fraction"] as Int? == nil)
    #expect(parameters["mixed"] as [String]? == nil)
    #expect(parameters["large"] as Double? == 300)
    #expect(parameters["missing"] as Double? == nil)
  }

  @Test func `parameters take nested parameters, dictionaries and every number`() throws {
    let (query, inner, none) = ("x", ["a": "b"], nil as Int?)
    var parameters = Parameters(["query": query, "page": 2, "none": none])
    let nested: Parameters = ["x": 1]
    parameters["nested"] = nested
    parameters["inner"] = inner
    parameters["counts"] = ["a": 1, "b": 2]
    parameters["float"] = Float(0.1)
    parameters["bytes"] = [UInt8(1), 2]
    parameters["small"] = Int16(-3)
    parameters["optionals"] = [1, none]
    #expect(
      parameters == [
        "query": "x", "page": 2, "none": nil, "nested": ["x": 1], "inner": ["a": "b"], "counts": ["a": 1, "b": 2],
        "float": 0.1, "bytes": [1, 2], "small": -3, "optionals": [1, nil],
      ])
    #expect(parameters["nested"] as Parameters? == nested)
    #expect(parameters["inner"] as [String: String]? == inner)
    #expect(parameters["float"] as Float? == 0.1)
    #expect(parameters["optionals"] as [Int?]? == [1, nil])
    #expect(parameters["small"] as UInt16? == nil)
  }

  @Test func `parameters are merged, counted and iterated`() {
    var parameters: Parameters = ["a": 1, "b": 2]
    #expect(!parameters.isEmpty)
    #expect(Parameters().isEmpty)
    parameters.merge(["b": 3, "c": 4])
    #expect(parameters.count == 3)
    #expect(parameters.map { "\($0.key)\($0.value.int ?? 0)" }.sorted() == ["a1", "b3", "c4"])
  }

  @Test func `nil removes a parameter`() {
    let absent: String? = nil
    var parameters: Parameters = ["a": 1, "b": "x", "c": true]
    parameters["a"] = nil
    parameters["b"] = absent
    #expect(parameters == ["c": true])
  }

  @Test(arguments: [UInt64.max, 1 << 63, 0]) func `large integers stay exact`(number: UInt64) {
    var parameters = Parameters()
    parameters["n"] = number
    #expect(parameters["n"] as UInt64? == number)
  }

  @Test func `parameters encode as a dictionary of their values`() throws {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    let parameters: Parameters = ["oneTwo": 1]
    #expect(try String(decoding: encoder.encode(parameters), as: UTF8.self) == #"{"oneTwo":1}"#)
  }
}
