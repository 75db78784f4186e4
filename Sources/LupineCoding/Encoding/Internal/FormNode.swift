import LupineSupport

/// One value of a form while it is encoded: a text, an array or an object.
///
/// The parts are stored properties, because appending to the payload of an enum would copy its elements each time.
final class FormNode {
  enum Kind { case nothing, text, array, object }

  private(set) var kind = Kind.nothing
  private(set) var text = ""
  private(set) var elements: [FormNode] = []
  private(set) var members: [(key: String, node: FormNode)] = []
  private var positions: [String: Int] = [:]

  /// Sets the kind of the node; returns false if the node already has another kind.
  func become(_ kind: Kind) -> Bool {
    guard self.kind == .nothing || self.kind == kind else { return false }
    self.kind = kind
    return true
  }

  func set(_ text: String) -> Bool {
    self.text = text
    return become(.text)
  }

  func append(_ node: FormNode) { elements.append(node) }

  /// Sets a member; an existing name keeps its position and gets the new value.
  func set(_ node: FormNode, forKey key: String) {
    if let position = positions[key] {
      members[position].node = node
    } else {
      positions[key] = members.count
      members.append((key, node))
    }
  }

  func member(_ key: String) -> FormNode? {
    positions[key].map { members[$0].node }
  }
}

/// Writes a finished tree of nodes as escaped pairs.
struct FormSerializer {
  private let options: URLEncodedFormEncoder
  private var output: [UInt8] = []

  init(options: URLEncodedFormEncoder) { self.options = options }

  var text: String { String(decoding: output, as: UTF8.self) }

  mutating func write(_ root: FormNode) {
    for (key, node) in members(of: root) { write(node, path: key) }
  }

  /// Recursion is bounded, because the encoder attaches no node deeper than its limit.
  private mutating func write(_ node: FormNode, path: String) {
    switch node.kind {
    case .nothing: break
    case .text: writePair(path, node.text)
    case .array:
      for (index, element) in node.elements.enumerated() {
        write(element, path: options.arrayEncoding.path(path, index))
      }
    case .object:
      for (key, member) in members(of: node) {
        write(member, path: path + options.keyPathEncoding.suffix(key))
      }
    }
  }

  private func members(of node: FormNode) -> [(key: String, node: FormNode)] {
    let members = node.members.map { (key: options.keyEncoding.text(for: $0.key), original: $0.key, node: $0.node) }
    guard options.alphabetizeKeyValuePairs else { return members.map { ($0.key, $0.node) } }
    // The original name decides the order of equal names; otherwise the order of a dictionary would show.
    return members.sorted { ($0.key, $0.original) < ($1.key, $1.original) }.map { ($0.key, $0.node) }
  }

  private mutating func writePair(_ key: String, _ value: String) {
    if !output.isEmpty { output.append(UInt8(ascii: "&")) }
    escape(key)
    output.append(UInt8(ascii: "="))
    escape(value)
  }

  private mutating func escape(_ text: String) {
    options.allowedCharacters.append(
      text.utf8, to: &output, spaceAsPlus: options.spaceEncoding == .plusReplaced)
  }
}
