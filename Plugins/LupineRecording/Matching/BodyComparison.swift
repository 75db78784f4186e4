import HTTPTypes
import LupineCoding
import LupineCore
import LupineDoubles
import LupineFoundation
import LupineSupport

/// Compares the body of a recorded request with that of a live one, by their kind.
struct BodyComparison {
  private let recorded: Cassette.Request
  private let live: LiveRequest
  private let load: (Cassette.FileContent) -> Data?

  init(_ recorded: Cassette.Request, _ live: LiveRequest, _ load: @escaping (Cassette.FileContent) -> Data?) {
    self.recorded = recorded
    self.live = live
    self.load = load
  }

  /// The differences; none if the recorded body was cut.
  var differences: [RequestDifference] {
    if recorded.isCut { return [] }
    return switch recorded.body {
    case .none: EntryMatcher.difference(.body(Data()), live)
    case .inline(let data): differences(from: data)
    case .digest(let length, let sha256): digest(length, sha256)
    case .file(let file):
      file.length <= Int64(Redactor.maximumLength)
        ? load(file).map(differences(from:)) ?? [unreadable(file)] : digest(file.length, file.sha256)
    }
  }

  private func unreadable(_ file: Cassette.FileContent) -> RequestDifference {
    RequestDifference(text: "body: the file \(file.name) cannot be read", weight: 2)
  }

  private func digest(_ length: Int64, _ sha256: Data) -> [RequestDifference] {
    if Int64(live.body.count) == length, SHA256.digest(of: live.body) == sha256 { return [] }
    let text = "body: expected \(length) bytes with another SHA-256, got \(live.body.count) bytes"
    return [RequestDifference(text: text, weight: 2)]
  }

  private func differences(from data: Data) -> [RequestDifference] {
    switch BodyKind(contentType: recorded.fields[.contentType]) {
    case .form: return form(data)
    case .multipart(let boundary):
      guard case .multipart(let liveBoundary) = BodyKind(contentType: live.fields[.contentType]) else {
        return [RequestDifference(text: "body: expected a multipart, got another type", weight: 2)]
      }
      return MultipartComparison(
        MultipartPart.parts(of: MappedBytes([UInt8](data)), boundary: boundary),
        MultipartPart.parts(of: MappedBytes([UInt8](live.body)), boundary: liveBoundary)
      ).differences
    case .json, .eventStream, .text, .other: return json(data) ?? bytes(data)
    }
  }

  private func form(_ data: Data) -> [RequestDifference] {
    let items = Unification.items(
      ParameterItem.items(in: String(decoding: data, as: UTF8.self)),
      live: ParameterItem.items(in: String(decoding: live.body, as: UTF8.self)))
    return EntryMatcher.difference(.body(form: items), live)
  }

  /// The differences of two values of JSON; `nil` if the recorded body is none.
  private func json(_ data: Data) -> [RequestDifference]? {
    guard JSONSecrets.isLikely(MappedBytes([UInt8](data))),
      let value = try? JSONDecoder().decode(JSONValue.self, from: data)
    else { return nil }
    let liveValue = try? JSONDecoder().decode(JSONValue.self, from: live.body)
    return EntryMatcher.difference(.body(json: liveValue.map { Unification.json(value, live: $0) } ?? value), live)
  }

  private func bytes(_ data: Data) -> [RequestDifference] {
    let isEqual = Placeholder.matches(recorded: [UInt8](data), live: [UInt8](live.body))
    return isEqual ? [] : EntryMatcher.difference(.body(data), live)
  }
}

extension Unification {
  /// The recorded value with the live values of its placeholders.
  static func json(_ recorded: JSONValue, live: JSONValue) -> JSONValue {
    switch (recorded, live) {
    case (.string(let text), .string(let liveText)): .string(self.text(text, live: liveText))
    case (.integer(let number), .integer(let liveNumber)): matches(number, liveNumber) ? live : recorded
    case (.array(let elements), .array(let liveElements)):
      .array(
        elements.enumerated().map { index, element in
          index < liveElements.count ? json(element, live: liveElements[index]) : element
        })
    case (.object(let members), .object(let liveMembers)):
      .object(
        Dictionary(
          uniqueKeysWithValues: members.map { name, value in
            (name, liveMembers[name].map { json(value, live: $0) } ?? value)
          }))
    default: recorded
    }
  }

  /// Whether a live number stands for any secret, and the recorded one is the placeholder of a secret.
  private static func matches(_ recorded: Int64, _ live: Int64) -> Bool {
    live == Int64(Placeholder.numberBase + Placeholder.anyNumber)
      && Placeholder.number(ofNumber: Array(String(recorded).utf8)) != nil
  }
}

/// Compares the parts of two multipart bodies, in order.
struct MultipartComparison {
  private let recorded: [MultipartPart]
  private let live: [MultipartPart]

  init(_ recorded: [MultipartPart], _ live: [MultipartPart]) {
    self.recorded = recorded
    self.live = live
  }

  var differences: [RequestDifference] {
    if recorded.count != live.count {
      let text = "body: expected \(recorded.count) parts, got \(live.count)"
      return [RequestDifference(text: text, weight: 2)]
    }
    return zip(recorded, live).enumerated().flatMap { index, parts -> [RequestDifference] in
      difference(parts.0, parts.1).map { what in
        let name = parts.0.name.map { " (\($0.escapingControls(limit: 100)))" } ?? ""
        return RequestDifference(text: "body part \(index + 1)\(name): \(what)", weight: 1)
      }
    }
  }

  private func difference(_ recorded: MultipartPart, _ live: MultipartPart) -> [String] {
    var differences: [String] = []
    if Self.fields(recorded) != Self.fields(live) { differences.append("its fields differ") }
    let (expected, got) = (Array(recorded.content.bytes), Array(live.content.bytes))
    if !Placeholder.matches(recorded: expected, live: got) {
      differences.append("its content differs: expected \(expected.count) bytes, got \(got.count)")
    }
    return differences
  }

  /// The lines of the fields, in any order.
  private static func fields(_ part: MultipartPart) -> [String] {
    part.fields.text.split(whereSeparator: \.isNewline).map { String($0).trimmingBlanks().description }.sorted()
  }
}
