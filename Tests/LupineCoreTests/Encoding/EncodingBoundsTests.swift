import Foundation
import HTTPTypes
import LupineCore
import LupineCoding
import Synchronization
import Testing

/// Encoding takes linear work, and deep nesting does not overflow the stack.
@Suite struct EncodingBoundsTests {
  private static let encoders: [any ParameterEncoder] = [
    .urlEncodedForm(destination: .httpBody), .json, .propertyList,
  ]

  @Test(arguments: encoders)
  func `a value that contains itself is an error`(encoder: any ParameterEncoder) throws {
    let request = try OutgoingRequest("https://example.com", method: .post)
    for value in [Endless(style: .keyed), Endless(style: .unkeyed), Endless(style: .single)] {
      let error = #expect(throws: LupineError.self) { try request.encoding(["a": value], with: encoder) }
      #expect(error?.kind == .parameterEncodingFailed)
      #expect(error?.message.contains("512") == true)
    }
  }

  @Test(arguments: encoders)
  func `parameters of 100,000 levels are an error`(encoder: any ParameterEncoder) throws {
    let request = try OutgoingRequest("https://example.com", method: .post)
    var value = JSONValue.nested(levels: 100_000)
    let error = #expect(throws: LupineError.self) { try request.encoding(["a": value] as Parameters, with: encoder) }
    #expect(error?.kind == .parameterEncodingFailed)
    value.dismantle()
  }

  @Test(arguments: encoders)
  func `100,000 containers inside each other are an error`(encoder: any ParameterEncoder) throws {
    let request = try OutgoingRequest("https://example.com", method: .post)
    let error = #expect(throws: LupineError.self) { try request.encoding(ContainerChain(), with: encoder) }
    #expect(error?.kind == .parameterEncodingFailed)
  }

  @Test(arguments: encoders)
  func `500 levels are no error`(encoder: any ParameterEncoder) throws {
    let request = try OutgoingRequest("https://example.com", method: .post)
    _ = try request.encoding(["a": JSONValue.nested(levels: 500)] as Parameters, with: encoder)
    _ = try request.encoding(["a": Endless(style: .keyed, end: 500)], with: encoder)
  }

  @Test(arguments: ["@", ";", ",", "\t", "%", "{", "A", "_", "é"])
  func `each name of 64 KB is looked at once`(character: String) throws {
    let key = String(repeating: character, count: 1 << 16)
    let names = Counter()
    let paths = Counter()
    let encoder = URLEncodedFormEncoder(
      keyEncoding: .custom {
        names.add($0.utf8.count); return $0
      },
      keyPathEncoding: .custom {
        paths.add($0.utf8.count); return ".\($0)"
      })
    let text = try encoder.encode([key: [key: 1]])
    #expect(names.value == 2 * key.utf8.count)
    #expect(paths.value == key.utf8.count)
    let escaped = try URLEncodedFormEncoder().encode([character: ""]).utf8.count - 1
    #expect(text.utf8.count == 2 * (escaped << 16) + ".=1".utf8.count)
    let snake = URLEncodedFormEncoder(keyEncoding: .convertToSnakeCase)
    #expect(try snake.encode([key: 1]).utf8.count >= 1 << 16)
  }

  @Test func `work grows with the number of members`() throws {
    let calls = Counter()
    let encoder = URLEncodedFormEncoder(
      arrayEncoding: .custom { key, _ in
        calls.add(1); return key
      })
    for count in [1_000, 10_000] {
      let before = calls.value
      _ = try encoder.encode(["a": [Int](0..<count)])
      #expect(calls.value - before == count)
    }
  }
}

private struct Endless: Encodable, Sendable {
  enum Style { case keyed, unkeyed, single }
  enum CodingKeys: CodingKey { case next }
  let style: Style
  var level = 0
  var end = 100_000

  func encode(to encoder: any Encoder) throws {
    guard level < end else { return try 0.encode(to: encoder) }
    var next = self
    next.level += 1
    switch style {
    case .keyed:
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(next, forKey: .next)
    case .unkeyed:
      var container = encoder.unkeyedContainer()
      try container.encode(next)
    case .single:
      var container = encoder.singleValueContainer()
      try container.encode(next)
    }
  }
}

/// Nests containers without a call of `encode(to:)` for each level.
private struct ContainerChain: Encodable, Sendable {
  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Endless.CodingKeys.self)
    for _ in 0..<100_000 { container = container.nestedContainer(keyedBy: Endless.CodingKeys.self, forKey: .next) }
  }
}

private final class Counter: Sendable {
  private let count = Mutex(0)
  var value: Int { count.withLock { $0 } }
  func add(_ number: Int) { count.withLock { $0 += number } }
}
