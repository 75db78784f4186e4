import LupineCore
import LupineFoundation
import LupineRecording
import LupineSupport
import Testing

/// The place of a test's cassette.
struct CassettePath {
  private static let folder = "Fixtures/Cassettes"

  /// The name as the test gives it.
  let name: String
  /// The folder; `nil` means `Fixtures/Cassettes` of the source file's package.
  let folder: String?
  /// The source file of the test.
  let filePath: String

  /// Returns the path of the cassette of a test, or of one of its cases.
  ///
  /// - Throws: kind `recordingFailed` if the name is not one of a file, or the case has no name.
  func path(of testCase: Test.Case?) throws(LupineError) -> String {
    guard Self.isName(name) else {
      throw LupineError(
        .recordingFailed,
        "\(name.debugDescription) is no name of a cassette: it must not be empty, begin with a dot, or contain \"/\", "
          + "\"\\\", \"..\" or a control character.")
    }
    var file = name
    if let testCase, testCase.isParameterized { file += "-" + (try CaseName.name(of: testCase)) }
    return "\(searched(for: file))/\(file).cassette"
  }

  private static func isName(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= 150 && !name.hasPrefix(".") && !name.contains("..")
      && !name.utf8.contains { $0 < 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
  }

  /// Returns the nearest folder that has the cassette; otherwise the one in which it is recorded.
  private func searched(for file: String) -> String {
    let above = filePath.enclosingFolders
    if let folder {
      return folder.hasPrefix("/") ? folder : "\(above.first ?? ".")/\(folder)"
    }
    func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }
    let parent =
      above.first { exists("\($0)/\(Self.folder)/\(file).cassette") } ?? above.first { exists("\($0)/Fixtures") }
      ?? above.first { exists("\($0)/Package.swift") } ?? above.first ?? "."
    return "\(parent)/\(Self.folder)"
  }
}

/// The name of a case of a test with arguments.
enum CaseName {
  private static let maximumLength = 60

  /// Returns the arguments as a part of a file's name.
  ///
  /// - Throws: kind `recordingFailed` if the arguments cannot be read.
  static func name(of testCase: Test.Case) throws(LupineError) -> String {
    guard let arguments = arguments(of: testCase) else {
      throw LupineError(
        .recordingFailed, "The arguments of the test cannot be read, so its cases cannot have cassettes of their own.")
    }
    return name(of: arguments.map { String(describing: $0) }.joined(separator: "-"))
  }

  /// Returns letters, digits and hyphens; a text that is shortened or has other characters gets a digest, so that no other
  /// text has the same name.
  static func name(of text: String) -> String {
    var name = ""
    for character in text.unicodeScalars {
      let isPlain = character.isASCII && (character.properties.isAlphabetic || ("0"..."9").contains(character))
      if isPlain || !name.hasSuffix("-") { name.unicodeScalars.append(isPlain ? character : "-") }
    }
    if name == text, name.utf8.count <= maximumLength { return name }
    var digest = SHA256()
    var copy = text
    copy.withUTF8 { digest.update(UnsafeRawBufferPointer($0)) }
    return name.prefix(maximumLength) + "-" + Hexadecimal.text(Array(digest.finalize().prefix(4)))
  }

  /// The arguments of a case, which Swift Testing shows only to tools; `nil` if this version of it keeps them elsewhere.
  private static func arguments(of testCase: Test.Case) -> [Any]? {
    find("arguments", in: testCase, depth: 3).flatMap { arguments in
      let values = Mirror(reflecting: arguments).children.map { Mirror(reflecting: $0.value).descendant("value") }
      return values.isEmpty || values.contains { $0 == nil } ? nil : values.compactMap(\.self)
    }
  }

  private static func find(_ label: String, in value: Any, depth: Int) -> Any? {
    let children = Mirror(reflecting: value).children
    if let found = children.first(where: { $0.label == label }) { return found.value }
    guard depth > 0 else { return nil }
    return children.lazy.compactMap { find(label, in: $0.value, depth: depth - 1) }.first
  }
}
