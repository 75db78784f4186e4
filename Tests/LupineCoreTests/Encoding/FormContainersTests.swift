import Foundation
import LupineCore
import LupineCoding
import Testing

/// The containers that a hand-written `encode(to:)` uses.
@Suite struct FormContainersTests {
  class Base: Encodable {
    let one = "one"
    private enum CodingKeys: String, CodingKey { case one }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(one, forKey: .one)
    }
  }

  final class Sharing: Base {
    private enum CodingKeys: String, CodingKey { case two }
    override func encode(to encoder: any Encoder) throws {
      try super.encode(to: encoder)
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(2, forKey: .two)
    }
  }

  final class Nesting: Base {
    private enum CodingKeys: String, CodingKey { case two, parent }
    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(2, forKey: .two)
      try super.encode(to: container.superEncoder())
      try super.encode(to: container.superEncoder(forKey: .parent))
    }
  }

  struct Manual: Encodable {
    enum CodingKeys: String, CodingKey { case root, other }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      var list = container.nestedUnkeyedContainer(forKey: .root)
      try list.encode(1)
      #expect(list.count == 1)
      #expect(list.codingPath.map(\.stringValue) == ["root"])
      var inner = list.nestedContainer(keyedBy: CodingKeys.self)
      try inner.encode("x", forKey: .other)
      var innerList = list.nestedUnkeyedContainer()
      try innerList.encode(2)
      try Base().encode(to: list.superEncoder())
      var first = container.nestedContainer(keyedBy: CodingKeys.self, forKey: .other)
      try first.encode(1, forKey: .root)
      var again = container.nestedContainer(keyedBy: CodingKeys.self, forKey: .other)
      try again.encode(2, forKey: .other)
    }
  }

  @Test func `a subclass shares its parent's container`() throws {
    #expect(try URLEncodedFormEncoder().encode(Sharing()) == "one=one&two=2")
  }

  @Test func `a parent gets a container of its own`() throws {
    #expect(
      try URLEncodedFormEncoder().encode(Nesting()) == "parent%5Bone%5D=one&super%5Bone%5D=one&two=2")
  }

  @Test func `nested containers encode to their place`() throws {
    let encoder = URLEncodedFormEncoder(
      arrayEncoding: .indexInBrackets, allowedCharacters: .urlQueryAllowed.inserting("[]"))
    #expect(
      try encoder.encode(Manual())
        == "other[other]=2&other[root]=1&root[0]=1&root[1][other]=x&root[2][0]=2&root[3][one]=one")
  }

  @Test func `a name that is encoded twice keeps its last value`() throws {
    struct Twice: Encodable {
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Manual.CodingKeys.self)
        try container.encode(1, forKey: .root)
        try container.encode(2, forKey: .root)
      }
    }
    #expect(try URLEncodedFormEncoder().encode(Twice()) == "root=2")
  }

  @Test func `two kinds of container in one place are an error`() throws {
    struct Confused: Encodable {
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Manual.CodingKeys.self)
        try container.encode(1, forKey: .root)
        var list = encoder.unkeyedContainer()
        try list.encode(1)
      }
    }
    let error = #expect(throws: LupineError.self) { try URLEncodedFormEncoder().encode(["a": Confused()]) }
    #expect(error?.message.contains("'a'") == true)
  }
}
