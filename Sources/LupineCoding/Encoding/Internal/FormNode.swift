/// One value of a form while it is encoded: a text, an array or an object.
///
/// Its parts are stored properties rather than an enum's payload, so that appending never copies what is there.
final class FormNode {
  enum Kind { case nothing, text, array, object }

  private(set) var kind = Kind.nothing
  private(set) var text = ""
  private(set) var elements: [FormNode] = []
  private(set) var members: [(key: String, node: FormNode)] = []
  private var positions: [String: Int] = [:]

  /// Settles what the node is; false where it is something else already.
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

  /// Puts a member in place; a name that came before keeps its place and gets the new value.
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
