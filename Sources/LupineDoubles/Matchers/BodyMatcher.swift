public import LupineCore
public import LupineFoundation

/// Expects certain bytes, or a form, as the body.
struct BodyMatcher: RequestMatcher {
  enum Expectation: Sendable {
    case bytes(Data)
    case form([ParameterItem])
  }

  let expected: Expectation

  var expectation: String {
    switch expected {
    case .bytes(let data): "body \(Self.shown(data))"
    case .form(let items): "body form \(items.map(\.description).joined(separator: "&"))"
    }
  }

  func difference(from request: RequestSnapshot) -> String? {
    switch expected {
    case .bytes(let data):
      return data == request.body ? nil : Self.difference(expected: data, got: request.body)
    case .form(let items):
      let found = ParameterItem.items(in: String(decoding: request.body, as: UTF8.self))
      return ParameterItem.differences(expected: items, found: found, isExact: true).joinedDifferences("body form ")
    }
  }

  private static func difference(expected: Data, got: Data) -> String {
    let place = Excerpt.place(expected, got)
    if isText(expected), isText(got), !Excerpt.isShown(place) {
      return "body from byte \(place) on: " + Excerpt.texts(expected, got, at: place)
    }
    let isPlaced = !expected.isEmpty && !got.isEmpty && !(isText(expected) && isText(got))
    return "body: expected \(shown(expected)), got \(shown(got))"
      + (isPlaced ? ", which differ from byte \(place) on" : "")
  }

  private static func isText(_ data: Data) -> Bool {
    data.allSatisfy { $0 >= 0x20 && $0 != 0x7f || $0 == 9 || $0 == 10 || $0 == 13 }
  }

  /// Returns the beginning of a body in readable form.
  static func shown(_ data: Data) -> String {
    if data.isEmpty { return "no bytes" }
    guard isText(data) else { return "\(data.count) bytes" }
    let text = String(decoding: data.prefix(Excerpt.length), as: UTF8.self)
    return "\"\(text)\"" + (data.count > Excerpt.length ? "… (\(data.count) bytes)" : "")
  }
}

extension RequestCondition {
  /// The body is these bytes.
  public static func body(_ data: Data) -> RequestCondition { RequestCondition(BodyMatcher(expected: .bytes(data))) }

  /// The body is this text, in UTF-8.
  public static func body(_ text: String) -> RequestCondition { .body(Data(text.utf8)) }

  /// The body is an HTML form with exactly these items, in any order.
  public static func body(form items: [String: String]) -> RequestCondition {
    .body(form: items.sorted { $0.key < $1.key }.map { ParameterItem(name: $0.key, value: $0.value) })
  }

  /// The body is an HTML form with exactly these items, of which several may have one name, in any order.
  public static func body(form items: [ParameterItem]) -> RequestCondition {
    RequestCondition(BodyMatcher(expected: .form(items)))
  }
}
