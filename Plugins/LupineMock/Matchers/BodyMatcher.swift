public import FoundationEssentials
public import LupineCore

/// Expects certain bytes, or a form, as the body.
struct BodyMatcher: RequestMatcher {
  enum Wish: Sendable {
    case bytes(Data)
    case form([QueryItem])
  }

  let wish: Wish

  var expectation: String {
    switch wish {
    case .bytes(let data): "body \(Self.shown(data))"
    case .form(let items): "body form \(items.map(\.description).joined(separator: "&"))"
    }
  }

  func difference(from request: MatchableRequest) -> String? {
    switch wish {
    case .bytes(let data):
      return data == request.body ? nil : "body: expected \(Self.shown(data)), got \(Self.shown(request.body))"
    case .form(let items):
      let found = QueryItem.items(in: String(decoding: request.body, as: UTF8.self))
      return QueryItem.difference(expected: items, found: found, isExact: true).map { "body form \($0)" }
    }
  }

  /// The beginning of a body as a person reads it.
  static func shown(_ data: Data) -> String {
    if data.isEmpty { return "no bytes" }
    let isText = data.allSatisfy { $0 >= 0x20 && $0 != 0x7f || $0 == 9 || $0 == 10 || $0 == 13 }
    guard isText else { return "\(data.count) bytes" }
    let text = String(decoding: data.prefix(200), as: UTF8.self)
    return "\"\(text)\"" + (data.count > 200 ? "… (\(data.count) bytes)" : "")
  }
}

extension RequestCondition {
  /// The body is these bytes.
  public static func body(_ data: Data) -> RequestCondition { RequestCondition(BodyMatcher(wish: .bytes(data))) }

  /// The body is this text, in UTF-8.
  public static func body(_ text: String) -> RequestCondition { .body(Data(text.utf8)) }

  /// The body is a form, as of a web page, with these items and no others, in any order.
  public static func body(form items: [String: String]) -> RequestCondition {
    let items = items.sorted { $0.key < $1.key }.map { QueryItem(name: $0.key, value: $0.value) }
    return RequestCondition(BodyMatcher(wish: .form(items)))
  }
}
